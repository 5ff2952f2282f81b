module brokerage/internal/store/db2/db2test

go 1.26.2

require (
	brokerage v0.0.0
	github.com/ibmdb/go_ibm_db v0.5.4
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/ibmruntimes/go-recordio/v2 v2.0.0-20240416213906-ae0ad556db70 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace brokerage => ../../../..
