package storetest

var getSecurity = &transaction{
	cases: []testCase{
		{name: "GetSecurity/Answer", run: func(e *env) {
			for _, i := range sample(int64(len(e.securities)), 40) {
				e.same("the security", e.securities[i], e.security(e.d.Symbol(int(i))))
			}
		}},
		{name: "GetSecurity/Missing", run: func(e *env) {
			for _, symbol := range e.missing() {
				_, err := e.s.GetSecurity(e.Context(), symbol)
				e.notFound(err, "security")
			}
		}},
	},
}
