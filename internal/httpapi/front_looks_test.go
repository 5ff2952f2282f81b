package httpapi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// contrasts returns the texts whose contrast to their background is less than WCAG 2.2 AA requires: 4.5, and 3 for
// large text. Colours are resolved by drawing them, layered as on the page.
const contrasts = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const over = (colours) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const poor = [];
	let seen = 0;
	const look = (e, colour, text) => {
		const behind = [];
		for (let at = e; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
		const [high, low] = [over(behind), over([...behind, colour])].map(luminance).sort((a, b) => b - a);
		const style = getComputedStyle(e);
		const size = parseFloat(style.fontSize);
		const needed = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		const ratio = (high + 0.05) / (low + 0.05);
		seen++;
		if (ratio < needed) {
			poor.push(e.tagName + '.' + e.className + ' ' + text.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
		}
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (texts.currentNode.data.trim() && e.checkVisibility() && !e.closest('svg, noscript, :disabled')) {
			look(e, getComputedStyle(e).color, texts.currentNode.data);
		}
	}
	for (const e of document.querySelectorAll('input, select, textarea')) {
		if (!e.checkVisibility()) continue;
		look(e, getComputedStyle(e).color, e.value);
		if (e.placeholder) look(e, getComputedStyle(e, '::placeholder').color, e.placeholder);
	}
	return {seen, poor};
})()`

// busy returns a page with figures, an answer and a refusal on it.
func busy(t testing.TB) *visitor {
	t.Helper()
	server := fronted(t, Options{})
	loaded(t, server)
	f := shown(t, server.URL+"/")
	f.until(`$('#state').textContent === 'Live' && formOf('get_order').dataset.filled === 'yes'`)
	f.Run(`choose('customer_profile')`)
	f.until(`formOf('customer_profile').dataset.filled === 'yes'`)
	f.Run(`formOf('customer_profile').requestSubmit()`)
	f.until(`!$('#try-customer_profile .result').hidden`)
	f.until(`parseFloat($('#p95').textContent) > 0 && $('#served').childElementCount > 3`)
	return f
}

// In light and dark mode, on wide screens and phones, everything is readable, and nothing is outside of the page.
func TestFront_Looks(t *testing.T) {
	f := busy(t)
	if *screenshots != "" {
		f.until(`past.get('rate').length >= 25`) // enough to fill the charts
	}
	for _, scheme := range []string{"light", "dark"} {
		f.prefers("prefers-color-scheme", scheme)
		for _, width := range []int{1400, 768, 390, 320} {
			t.Run(fmt.Sprint(scheme, " ", width), func(t *testing.T) {
				f.window(width, 1000)
				require.Equal(t, true, f.Run(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`),
					"nothing scrolls sideways: %v",
					f.Run(`[...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) `+
						`=> e.tagName + '.' + e.className + '#' + e.id).slice(0, 9).join()`))
				found, ok := f.Run(contrasts).(map[string]any)
				require.True(t, ok)
				require.Greater(t, found["seen"], 100.0)
				require.Empty(t, found["poor"])
				f.picture(fmt.Sprint(scheme, "-", width))
				if width == 390 {
					f.Run(`$('#workbench').scrollIntoView()`)
					f.picture(fmt.Sprint(scheme, "-", width, "-workbench"))
					f.Run(`scrollTo(0, 0)`)
				}
			})
		}
	}
}

// The page breaks a long tag of a response between its attributes, so that the browser does not break it elsewhere; a
// name is broken between its words, and only if there is no room.
func TestFront_LinesFit(t *testing.T) {
	f := shown(t, fronted(t, Options{}).URL+"/")
	f.window(1280, 1000)
	f.until(`formOf('get_order').dataset.filled === 'yes'`)
	f.Run(`formOf('get_order').requestSubmit()`)
	f.until(`$('#try-get_order .result pre') !== null`)
	require.Equal(t, true, f.Run(`(() => {
		const pre = $('#try-get_order .result pre');
		const lines = pre.textContent.split('\n');
		const height = lines.length * parseFloat(getComputedStyle(pre).lineHeight);
		return lines.length > 10 && Math.abs(pre.scrollHeight - height) < 40;
	})()`), "the browser breaks no line")

	const name = `[...$('[data-try=update_security_price]').childNodes]
		.filter((n) => n.nodeType === Node.TEXT_NODE).reduce((text, piece) => {
		const range = document.createRange();
		range.selectNodeContents(piece);
		const { top } = range.getBoundingClientRect();
		return { whole: text.whole + (top > text.top + 5 ? '\n' : '') + piece.data, top };
	}, { whole: '', top: Infinity }).whole`
	require.Equal(t, "update_security_price", f.Run(name))
	f.window(390, 844)
	require.Equal(t, "update_security_\nprice", f.Run(name))
}

// The button overrides the system's preference, and the choice is stored.
func TestFront_Theme(t *testing.T) {
	server := fronted(t, Options{})
	f := shown(t, server.URL+"/")
	ground := func() any { return f.Run(`getComputedStyle(document.body).backgroundColor`) }
	f.prefers("prefers-color-scheme", "light")
	light := ground()
	f.prefers("prefers-color-scheme", "dark")
	dark := ground()
	require.NotEqual(t, light, dark)
	f.until(`$('#theme').getAttribute('aria-pressed') === 'true'`)
	f.Run(`$('#theme').click()`)
	require.Equal(t, light, ground())
	require.Equal(t, "false", f.Run(`$('#theme').getAttribute('aria-pressed')`))
	f.Open(server.URL + "/")
	f.prefers("prefers-color-scheme", "dark")
	require.Equal(t, light, ground())
}

// With reduced motion, charts change every fifth second only.
func TestFront_ReducedMotion(t *testing.T) {
	f := shown(t, fronted(t, Options{}).URL+"/")
	f.until(`past.size > 0`)
	f.prefers("prefers-reduced-motion", "reduce")
	require.EqualValues(t, 2, f.Run(`(() => {
		let drawn = 0;
		const watched = new MutationObserver((all) => { drawn += all.length; });
		watched.observe($('[data-chart=rate] .line'), {attributes: true});
		seconds = 0;
		for (let i = 0; i < 10; i++) drawAll();
		drawn = watched.takeRecords().length;
		return drawn;
	})()`))
}

// press types a key.
func (f *visitor) press(key string, code int) {
	f.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if key == "Enter" && kind == "keyDown" {
			params["text"] = "\r"
		}
		f.Call("Input.dispatchKeyEvent", params, nil)
	}
}

// Everything can be reached by keyboard alone, in reading order and with a visible focus, and a request can be sent.
func TestFront_Keyboard(t *testing.T) {
	f := shown(t, fronted(t, Options{}).URL+"/")
	f.until(`formOf('get_order').dataset.filled === 'yes'`)
	want, ok := f.Run(`$$('a, button, input, select, textarea').filter((e) => e.checkVisibility() && ` +
		`!e.disabled).length`).(float64)
	require.True(t, ok)
	var reached []any
	for range 80 {
		f.press("Tab", 9)
		at := f.Run(`(() => {
			const e = document.activeElement;
			if (e === document.body) return '';
			e.dataset.order ??= document.querySelectorAll("[data-order]").length + 1;
			return e.id || e.dataset.try || e.className || e.textContent;
		})()`)
		if at == "" {
			break
		}
		require.Equal(t, true, f.Run(`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`),
			"%v shows that it has the focus", at)
		reached = append(reached, at)
	}
	require.Len(t, reached, int(want), "%v", reached)
	require.Equal(t, true, f.Run(`$$('[data-order]').every((e, i) => Number(e.dataset.order) === i + 1)`), "%v", reached)

	f.Run(`choice.focus()`)
	f.press("ArrowDown", 40)
	f.until(`choice.value === 'get_security' && formOf('get_security').dataset.filled === 'yes'`)
	for f.Run(`document.activeElement.type`) != "submit" {
		f.press("Tab", 9)
	}
	f.press("Enter", 13)
	f.until(`!$('#try-get_security .result').hidden && $('#try-get_security .result').innerText.includes('200')`)
}
