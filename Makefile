# The targets for development: `make help` lists them, CONTRIBUTING.md says when to use which.
# Go and make are all that `make test` needs; a target that needs more says so.

GO ?= go

# Packages and flags of the test targets: `make test PKGS=./internal/xmldoc/...`, `make test TESTFLAGS='-run Order -v'`.
PKGS      ?= ./...
TESTFLAGS ?=
ARGS      ?= dataset --scale tiny
BENCH     ?= .
FUZZTIME  ?= 10s
CHAOS     ?= full

LINT_VERSION := v2.15.0
LINT := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

# Code with the tag db2 is linted only if IBM's client library was fetched before, for example by make build-db2.
# The linter itself is the same as above; the commands that it runs get the environment of cgo.
LINT_DB2 = settings=$$($(GO) run -C $(DB2TEST) ./fetch -here) || { echo "make lint: without the files of tag db2: $$settings"; exit 0; }; \
  tool=$$(mktemp -d); trap 'rm -rf "$$tool"' EXIT; GOBIN="$$tool" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION) && \
  eval "$$settings" && "$$tool/golangci-lint" run --allow-parallel-runners --build-tags db2 $(DB2_PKGS) && cd $(DB2TEST) && "$$tool/golangci-lint" run --allow-parallel-runners --build-tags db2

ACTIONLINT_VERSION := v1.7.12
VULN_VERSION := v1.6.0
VULN_DB      ?= https://vuln.go.dev

# The build with the tag db2 requires cgo and IBM's client library, which the project does not include: the one in
# IBM_DB_HOME, or else one that is fetched into the user's cache, and whose checksum is verified.
DB2_ENV  = settings=$$($(GO) run -C $(DB2TEST) ./fetch) && eval "$$settings"
DB2TEST  = internal/store/db2/db2test
DB2_PKGS = ./internal/store/db2/... ./cmd/brokerage
DB2_RACE = -timeout $(if $(RACE),90m -race,30m)

# The service does not use gin's codec for MessagePack; without it a first build is faster.
export GOFLAGS := $(strip $(GOFLAGS) -tags=nomsgpack)

# The binary is static, so tests and lint also run without cgo, and hence without a C compiler.
# Only the race detector needs one.
export CGO_ENABLED = 0

.DEFAULT_GOAL := build

##@ Run

.PHONY: run
run: ## run brokerage: make run ARGS='dataset --scale tiny'
	$(GO) run ./cmd/brokerage $(ARGS)

# Go stamps the commit into the binary, but refuses to build at all where git distrusts the checkout (one that belongs to
# another user), so stamping is on only where git works.
.PHONY: build
build: ## build the static binary, bin/brokerage
	$(GO) build -trimpath -buildvcs=$$(git rev-parse --verify -q HEAD >/dev/null 2>&1 && echo auto || echo false) -o bin/brokerage ./cmd/brokerage

.PHONY: cross
cross: ## compile for other systems, where files are locked differently
	@set -e; for os in darwin windows; do echo "$$os"; GOOS=$$os $(GO) build -o /dev/null ./cmd/brokerage; done

SBOM := $(GO) run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
DIST      ?= dist

# VERSION must be the tag in the manifests, or the image that they run would not exist. The flags are those of deploy/docker/Dockerfile.
.PHONY: release
release: ## build a version for all systems, with bills of materials and checksums, in dist: make release VERSION=0.1.0
	@grep -qx '    newTag: $(VERSION)' deploy/k8s/base/image/kustomization.yaml || { \
	  echo "make release: deploy/k8s/base/image has another tag than VERSION=$(VERSION)" >&2; exit 1; }
	@set -eu; rm -rf "$(DIST)"; mkdir -p "$(DIST)"; for platform in $(PLATFORMS); do \
	  os=$${platform%/*} arch=$${platform#*/}; \
	  file="$(DIST)/brokerage-$(VERSION)-$$os-$$arch$$([ "$$os" != windows ] || echo .exe)"; \
	  GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -tags timetzdata,nomsgpack -ldflags '-s -w -buildid=' -o "$$file" ./cmd/brokerage; \
	  $(SBOM) bin -json -std -noserial -notimestamp -version "$(VERSION)" -output "$$file.cdx.json" "$$file"; \
	done; cd "$(DIST)" && sha256sum brokerage-* >SHA256SUMS && cat SHA256SUMS

.PHONY: clean
clean: ## remove what these targets have built
	rm -rf bin dist coverage.out

##@ Check

# The packages whose tests take longest begin first, so that no processor is idle at the end.
LONGEST := ./internal/store/postgres ./cmd/brokerage

.PHONY: test
test: ## run go vet and the short tests; three minutes
	$(GO) vet $(PKGS)
	$(GO) test -short -timeout 20m $(TESTFLAGS) $(if $(filter ./...,$(PKGS)),$(LONGEST)) $(PKGS)

.PHONY: test-all
test-all: ## run all tests, also crashes, full disks, clusters and campaigns; ten minutes
	$(GO) test -timeout 20m $(TESTFLAGS) $(if $(filter ./...,$(PKGS)),$(LONGEST)) $(PKGS)

# Benches and harness are packages that only tests use; a moved module counts where it was.
.PHONY: lines
lines: ## print the lines of Go by package: product, benches and harness, tests
	@git ls-files '*.go' | xargs awk '{n[FILENAME]++} END {for (f in n) print n[f], f}' | \
	awk '{dir = $$2; sub("/?[^/]*$$", "", dir); seen[dir]; \
	    column = $$2 ~ /_test\.go$$/ ? "t" : dir ~ /storetest|db2test|pgtest|sqlitetest|chaostest|testenv/ ? "h" : "p"; \
	    n[column, dir] += $$1; sum[column] += $$1} \
	  END {line = "%9s %9s %9s  %s\n"; printf line, "product", "harness", "tests", "package"; \
	    for (dir in seen) printf line, n["p", dir] + 0, n["h", dir] + 0, n["t", dir] + 0, dir | "sort -k 4"; close("sort -k 4"); \
	    printf line, sum["p"], sum["h"], sum["t"], "all"}'

.PHONY: lint
lint: ## run golangci-lint; check go.mod, that docs/dependencies.md has each dependency, and that tests named in documents exist
	$(LINT) config verify
	$(LINT) run --allow-parallel-runners $(PKGS)
	$(LINT_DB2)
	$(GO) mod tidy -diff
	$(GO) mod tidy -C $(DB2TEST) -diff
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION) deploy/ci/*.yaml
	@grep -ohE 'Test[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?' *.md docs/*.md docs/adr/*.md | sort -u | while read -r test; do \
	  grep -rqE "^func $$test" --include='*_test.go' . || { echo "a document names $$test, which does not exist" >&2; exit 1; }; done
	@$(GO) list -m -f '{{if not (or .Main .Indirect)}}`{{.Path}}` {{.Version}}{{end}}' all | while read -r module; do \
	  [ -z "$$module" ] || grep -qF "$$module" docs/dependencies.md || { echo "docs/dependencies.md lacks $$module" >&2; exit 1; }; done

# It also fails if the database of vulnerabilities cannot be reached, because nothing is known then. VULN_DB=file:///… is a copy of it.
.PHONY: vuln
vuln: ## look for known vulnerabilities with govulncheck; needs vuln.go.dev
	$(GO) run golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION) -db $(VULN_DB) $(PKGS)

.PHONY: rebuild
rebuild: ## build again elsewhere, without caches, and compare the binaries
	@set -eu; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; mkdir -p "$$dir/another/folder"; \
	tar --exclude=./.git --exclude=./bin --exclude=./data -cf - . | tar -C "$$dir/another/folder" -xf -; \
	$(GO) build -trimpath -buildvcs=false -o "$$dir/one" ./cmd/brokerage; \
	GOCACHE="$$dir/cache" $(GO) build -C "$$dir/another/folder" -trimpath -buildvcs=false -o "$$dir/two" ./cmd/brokerage; \
	cmp "$$dir/one" "$$dir/two" || { echo "make rebuild: two builds of the same source differ" >&2; exit 1; }; \
	sha256sum <"$$dir/one" | sed 's/-/the binary, twice/'

.PHONY: generate
generate: ## regenerate what loadtest has from Go code: schema of workloads, scripts, templates
	$(GO) generate ./...

.PHONY: fmt
fmt: ## format the code as lint requires
	$(LINT) fmt

##@ Check more

# The requests depend on the seed, which a failure prints: DIFFER_SEED=7 repeats them. On the stand-in for Db2 there are
# fewer, and only if a JDK is installed.
DIFFER      ?= 50000
DIFFER_SEED ?= random
.PHONY: differ
differ: ## compare two stores by DIFFER (50000) random requests; needs PostgreSQL
	BROKERAGE_TEST_REQUIRE=postgres BROKERAGE_DIFFER=$(DIFFER) BROKERAGE_DIFFER_SEED=$(DIFFER_SEED) \
	  $(GO) test -count=1 -timeout 60m -run '^TestDiffer_Postgres$$' ./internal/httpapi
	if command -v javac >/dev/null; then $(DB2_ENV) && BROKERAGE_DIFFER_SEED=$(DIFFER_SEED) \
	  $(GO) test -C $(DB2TEST) -tags db2 -count=1 -timeout 60m -run '^TestDiffer$$' .; fi

.PHONY: test-clients
test-clients: ## generate clients in Go, Java and Python, and run them; downloads what they need; needs a JDK, Maven, Python and curl
	BROKERAGE_TEST_REQUIRE=clients $(GO) test -count=1 -timeout 30m -v $(TESTFLAGS) ./api/clients

# Each case empties the database, which must be empty at first, or filled by an earlier run. For a Db2, use test-db2.
.PHONY: test-url
test-url: ## run the conformance suite on a database, which it empties: make test-url URL=postgres://…
	@test -n "$(URL)" || { echo "make test-url: set URL=postgres://USER@HOST/DATABASE" >&2; exit 1; }
	BROKERAGE_TEST_URL='$(URL)' $(GO) test -count=1 -timeout 60m -v -run '^TestURL$$' $(TESTFLAGS) ./internal/store

.PHONY: race
race: ## run all tests under the race detector; needs a C compiler
	@command -v "$$($(GO) env CC | cut -d' ' -f1)" >/dev/null || { \
	  echo "make race: the race detector needs a C compiler, and '$$($(GO) env CC)' is not installed (Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }
	CGO_ENABLED=1 $(GO) test -race -timeout 90m $(TESTFLAGS) $(PKGS)

# IBM's driver needs cgo and its client library, which DB2_ENV fetches; the tests fetch the rest of the stand-in. The library's
# licence is IBM's: it is in none of our binaries and commits. RACE=1 runs the race detector, which takes three
# times as long.
.PHONY: test-db2bench
test-db2bench: ## test the Db2 store on its stand-in, which it downloads; RACE=1 for races; needs a JDK and a C compiler
	@command -v javac >/dev/null || { echo "make test-db2bench: needs a JDK (Debian: apt-get install openjdk-17-jdk-headless)" >&2; exit 1; }
	$(DB2_ENV) && \
	  $(GO) vet -tags db2 $(DB2_PKGS) && \
	  $(GO) vet -C $(DB2TEST) -tags db2 ./... && \
	  $(GO) test -C $(DB2TEST) -tags db2 -count=1 $(DB2_RACE) $(TESTFLAGS) ./... && \
	  $(GO) test -tags db2 -count=1 $(DB2_RACE) $(TESTFLAGS) ./internal/store/db2/... && \
	  $(GO) test -tags db2 -count=1 $(DB2_RACE) -run '^TestServe_Db2' $(TESTFLAGS) ./cmd/brokerage

# Go fuzzes one target of one package at a time, so they are listed first. Up to Go 1.26 a run can fail at the very end of
# its time with "context deadline exceeded" and nothing found (golang/go#75804): only this failure is retried.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (10s)
	@set -eu; \
	log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	$(GO) test -list '^Fuzz' $(PKGS) >"$$log" || { cat "$$log" >&2; exit 1; }; \
	targets=$$(awk '/^Fuzz/ { names = names " " $$1 } /^ok/ { n = split(names, a, " "); for (i = 1; i <= n; i++) print $$2 "," a[i]; names = "" }' "$$log"); \
	[ -n "$$targets" ] || { echo "make fuzz: no fuzz target in $(PKGS)" >&2; exit 1; }; \
	for target in $$targets; do \
	  pkg=$${target%,*}; name=$${target#*,}; \
	  for try in 1 2 3; do \
	    echo "fuzz $$name in $$pkg for $(FUZZTIME)"; \
	    if $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$pkg" >"$$log" 2>&1; then tail -n 3 "$$log"; break; fi; \
	    cat "$$log"; \
	    if [ $$try = 3 ] || grep -q -e 'Failing input' -e 'panic' "$$log" || ! grep -q '^ *context deadline exceeded' "$$log"; then exit 1; fi; \
	    echo "the time ended without a finding, but Go reported a failure, as it sometimes does; trying again"; \
	  done; \
	done

# CHAOS_TABLE=docs/reliability.md writes the results into the document; without it they are printed.
.PHONY: chaos
chaos: ## run the fault suite, some minutes; CHAOS=short for less. Best as root, with strace, PostgreSQL and Citus
	BROKERAGE_CHAOS=$(CHAOS) BROKERAGE_CHAOS_TABLE=$(if $(CHAOS_TABLE),$(abspath $(CHAOS_TABLE))) \
	  $(GO) test -count=1 -timeout 20m -v -run '^(TestChaos|TestHostile_Greedy)' ./cmd/brokerage

.PHONY: bench
bench: ## run all benchmarks, or BENCH='Admit|Cut'
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m $(TESTFLAGS) $(PKGS)

.PHONY: test-postgres
test-postgres: ## run the PostgreSQL tests on another version: make test-postgres BIN=/usr/lib/postgresql/17/bin
	@test -n "$(BIN)" || { echo "make test-postgres: set BIN to the folder of the server's programs" >&2; exit 1; }
	BROKERAGE_POSTGRES_BIN=$(BIN) BROKERAGE_TEST_REQUIRE=postgres $(GO) test -count=1 -timeout 20m $(TESTFLAGS) ./internal/store/postgres/...
	BROKERAGE_POSTGRES_BIN=$(BIN) BROKERAGE_TEST_REQUIRE=postgres $(GO) test -count=1 -timeout 20m -run 'Postgres' $(TESTFLAGS) ./internal/campaign ./cmd/brokerage

EACH ?= 10s

# Records each store for RECORD, prints the tables of docs/adr/0039-compare.md.
RECORD ?= 5m
.PHONY: compare-study
compare-study: ## study slices of null:, sqlite: and PostgreSQL for RECORD (5m) each; half an hour, on a machine without other work
	BROKERAGE_COMPARE_STUDY=$(RECORD) $(GO) test -run '^$$' -bench '^BenchmarkStudy$$' -benchtime 1x -timeout 24h ./internal/compare

# WITHIN (10m) bounds each comparison; OTHERS=1 accepts slices that others disturbed, for a machine with other work.
COMPARISONS ?= 40
.PHONY: compare-check
compare-check: ## compare equal sides, and sides that differ by 3 %, COMPARISONS (40) times each; hours
	BROKERAGE_COMPARE_CHECK=$(COMPARISONS) $(GO) test -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 1x -timeout 24h ./internal/compare

# WITHIN (5m) bounds each search; OTHERS=1 as above.
SEARCHES ?= 20
.PHONY: capacity-check
capacity-check: ## search SEARCHES (20) times for the highest rate of sqlite: or PostgreSQL, and compare it with the closed model; hours
	BROKERAGE_CAPACITY_CHECK=$(SEARCHES) $(GO) test -run '^$$' -bench '^BenchmarkCapacity$$' -benchtime 1x -timeout 24h ./internal/compare

.PHONY: evidence
evidence: compare-check capacity-check ledger-check ## run compare-check, capacity-check and ledger-check, which test comparisons, highest rates and ledgers; a day

# The disks are files with ext4 in them; EXT4_IOC_SHUTDOWN cuts the power.
KILLS ?= 100
.PHONY: ledger-check
ledger-check: ## kill SQLite KILLS (100) times under load, PostgreSQL a fifth as often, simulate power failures, and count lost changes; needs root
	BROKERAGE_LEDGER_CHECK=$(KILLS) $(GO) test -run '^$$' -bench '^BenchmarkLedger$$' -benchtime 1x -timeout 24h ./cmd/brokerage

# Seven queries both ways, ROUNDS (3) times EACH (10s): nine minutes, on a machine without other work. SCALE (XXXS) is
# a variable too.
.PHONY: bench-postgres
bench-postgres: ## compare the queries of drive --db with those of pgbench; needs PostgreSQL with pgbench
	BROKERAGE_BENCH_POSTGRES=$(EACH) $(GO) test -run '^$$' -bench '^BenchmarkPgbench$$' -benchtime 1x -timeout 60m ./internal/store/postgres

# Needs root for the control groups that count and limit the processor time of each node, and a machine without other
# work: ten minutes with EACH=6s. Servers that share processors take up to half more time where the program has another
# address in each, probably because branches are predicted worse; nodes of a real cluster share none. setarch makes addresses equal.
.PHONY: bench-citus
bench-citus: ## measure what a transaction costs on Citus, and the throughput of 1, 2 and 4 nodes, for EACH (10s) a run; needs root and Citus
	BROKERAGE_BENCH_CITUS=$(EACH) setarch "$$(uname -m)" -R $(GO) test -run '^$$' -bench '^BenchmarkCitus$$' -benchtime 1x -timeout 60m ./internal/store/postgres

# -shuffle finds tests that depend on each other; -count=1 because a cached result shows nothing new. Under the race
# detector, -short leaves out what would only be slower. test-k8s-node does what test-images does.
.PHONY: test-full
test-full: ## run everything: shuffled tests, lint, race, a minute of each fuzz target, two stores compared, Kubernetes, chaos
	$(MAKE) test-all TESTFLAGS='-count=1 -shuffle=on -timeout 60m'
	$(GO) test -C $(DB2TEST) -count=1 ./...
	$(GO) test ./internal/store/sqlite -count=1 -run TestDamage -v -args -flips 1000
	$(GO) test ./internal/store/postgres -count=1 -timeout 30m -run '^TestReplicas$$' -v -args -checks 100000
	$(MAKE) lint
	$(MAKE) race TESTFLAGS=-short
	$(MAKE) race PKGS='./internal/store/postgres ./internal/drive ./internal/compare ./internal/campaign'
	$(MAKE) fuzz FUZZTIME=60s
	$(MAKE) differ
	$(MAKE) test-k8s
	$(MAKE) test-k8s-node
	$(MAKE) chaos

##@ Kubernetes

# It uses the cluster of KUBECONFIG, or makes one with the scripts in KUBE_E2E: see CONTRIBUTING.md.
.PHONY: test-k8s
test-k8s: ## check the manifests, and broken ones, with a real API server
	KUBE_E2E="$${KUBE_E2E:-$(abspath ../shared/kube)}" BROKERAGE_TEST_REQUIRE=kube $(GO) test -count=1 -timeout 40m $(TESTFLAGS) ./deploy/k8s

.PHONY: test-k8s-node
test-k8s-node: ## run the manifests on a real node, under load; root on Debian, half an hour
	deploy/k8s/on-node

.PHONY: test-images
test-images: ## build the images with buildah, on stand-ins of their bases; root on Debian
	deploy/docker/build-here

##@ Db2

.PHONY: build-db2
build-db2: ## build bin/brokerage-db2, which also takes db2:// URLs; linux/amd64, needs a C compiler
	$(DB2_ENV) && $(GO) build -tags db2 -trimpath -o bin/brokerage-db2 ./cmd/brokerage

# The run makes the schema that the URL names (BROKERAGE_TEST if it names none) and drops it again; it refuses one that holds
# anything. Its other settings are variables: see the script.
DB2_EVIDENCE ?= db2-evidence

.PHONY: test-db2
test-db2: ## try everything on a Db2, without stopping at errors: make test-db2 DB2_DSN=db2://…; leaves DB2_EVIDENCE.tgz
	@test -n "$(DB2_DSN)" || { echo "make test-db2: set DB2_DSN=db2://USER@HOST:PORT/DATABASE" >&2; exit 1; }
	@DB2_DSN='$(DB2_DSN)' DB2_EVIDENCE='$(DB2_EVIDENCE)' sh deploy/db2/trial.sh

.PHONY: db2-scripts
db2-scripts: ## write scripts for Db2's command line and db2cli into DB2_EVIDENCE; DB2_SCHEMA=TPOX names another schema
	DB2_SCHEMA='$(DB2_SCHEMA)' DB2_EVIDENCE='$(abspath $(DB2_EVIDENCE))' $(GO) test -count=1 -run '^TestScripts$$' ./internal/store/db2

##@ Help

# Sections are the `##@` lines of this file, targets those with a `##` comment. Colours only on a terminal.
.PHONY: help
help: ## print this list
	@if [ -t 1 ] && [ -z "$${NO_COLOR:-}" ]; then bold=$$(printf '\033[1m') name=$$(printf '\033[36m') off=$$(printf '\033[0m'); else bold= name= off=; fi; \
	awk -v bold="$$bold" -v name="$$name" -v off="$$off" -F ':.*## ' ' \
	  /^##@ / { printf "\n%s%s%s\n", bold, substr($$0, 5), off } \
	  /^[a-z0-9-]+:.*## / { printf "  %s%-14s%s %s\n", name, $$1, off, $$2 }' $(firstword $(MAKEFILE_LIST))
