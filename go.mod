module brokerage

go 1.26.2

require (
	github.com/beevik/etree v1.5.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/alecthomas/kong v1.17.0 // indirect
	github.com/jacoelho/xsd v0.3.0 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/term v0.36.0 // indirect
)
