package absent_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/gin-gonic/gin/render"
	"github.com/stretchr/testify/require"
)

// What a stand-in replaces is refused with an error that names the record, and never silently accepted.
func TestAbsent(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	type body struct{ A int }
	bind := func(b binding.BindingBody, text string) func() error {
		return func() error { return b.BindBody([]byte(text), &body{}) }
	}
	write := func(r render.Render) func() error {
		return func() error { return r.Render(httptest.NewRecorder()) }
	}
	for name, call := range map[string]func() error{
		"ReadMessagePack":  bind(binding.MsgPack, "\x81\xa1A\x01"),
		"WriteMessagePack": write(render.MsgPack{Data: body{}}),
		"ReadBSON":         bind(binding.BSON, "\x05\x00\x00\x00\x00"),
		"WriteBSON":        write(render.BSON{Data: body{}}),
		"ReadTOML":         bind(binding.TOML, "A = 1"),
		"WriteTOML":        write(render.TOML{Data: body{}}),
		"Validate":         bind(binding.JSON, `{"A": 1}`),
		"HTTP3":            func() error { return gin.New().RunQUIC("127.0.0.1:0", "", "") },
		"HTTP2WithoutTLS": func() error {
			engine, w := gin.New(), httptest.NewRecorder()
			engine.UseH2C = true
			engine.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
			return errors.New(w.Body.String())
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, call(), "docs/adr/0032-absent-modules.md")
		})
	}
}
