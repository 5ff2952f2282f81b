package storetest

var getSecurity = &transaction{
	call: func(e *env) call {
		symbol, _ := e.listed()
		return reading(watch{symbols: []string{symbol}}, e.s.GetSecurity, symbol)
	},
	cases: []testCase{
		{name: "GetSecurity/Answer", run: func(e *env) {
			for _, i := range sample(int64(len(e.securities)), 40) {
				e.same("the security", e.securities[i], e.security(e.d.Symbol(int(i))))
			}
		}},
		{name: "GetSecurity/Missing", run: func(e *env) {
			for _, symbol := range e.unknownSymbols() {
				e.noSecurity(symbol)
			}
		}},
	},
}
