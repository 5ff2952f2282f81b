module brokerage

go 1.26.2

require (
	github.com/alecthomas/kong v1.17.0
	github.com/beevik/etree v1.8.1
	github.com/jacoelho/xsd v0.3.0
	github.com/klauspost/compress v1.20.3
	github.com/stretchr/testify v1.12.1
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect
