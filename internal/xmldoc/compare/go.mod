module brokerage/internal/xmldoc/compare

go 1.26.2

require (
	brokerage v0.0.0
	github.com/antchfx/xmlquery v1.4.4
	github.com/antchfx/xpath v1.3.3
	github.com/beevik/etree v1.8.1
	github.com/lestrrat-go/helium v0.7.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/golang/groupcache v0.0.0-20210331224755-41bb18bfe9da // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/net v0.59.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace brokerage => ../../..
