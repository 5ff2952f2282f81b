// Small charts of the last minute: a line and the area below it, without axes, beside the figure.
'use strict';

const svgNS = 'http://www.w3.org/2000/svg';
const points = 60; // of a chart: as many seconds
const chartWidth = 120;
const chartHeight = 30;

function svg(name, attributes) {
  const e = document.createElementNS(svgNS, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// chart adds an empty chart to an element, and returns the function that draws values in it, the newest on the right.
// An unknown value (null) leaves a gap.
function chart(into) {
  const image = svg('svg', { viewBox: `0 0 ${chartWidth} ${chartHeight}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const area = svg('path', { class: 'area' });
  const line = svg('path', { class: 'line', 'vector-effect': 'non-scaling-stroke' });
  image.append(area, line);
  into.append(image);
  return (values) => {
    const most = Math.max(...values.map((v) => v ?? 0), 1e-9);
    const x = (i) => ((points - values.length + i) / (points - 1)) * chartWidth;
    const y = (v) => chartHeight - 1.5 - (v / most) * (chartHeight - 4);
    let outline = '';
    let filled = '';
    let from = -1; // where the stretch without a gap begins
    values.forEach((v, i) => {
      if (v !== null) {
        outline += `${from < 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
        if (from < 0) from = i;
      }
      if (from >= 0 && (v === null || i === values.length - 1)) {
        const last = v === null ? i - 1 : i;
        const stretch = values.slice(from, last + 1).map((u, k) => `L${x(from + k).toFixed(1)} ${y(u).toFixed(1)}`).join('');
        filled += `M${x(from).toFixed(1)} ${chartHeight}${stretch}L${x(last).toFixed(1)} ${chartHeight}Z`;
        from = -1;
      }
    });
    line.setAttribute('d', outline);
    area.setAttribute('d', filled);
  };
}
