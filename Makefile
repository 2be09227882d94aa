# One page. `make` says what there is; `make check` is what has to be clean before a commit.
GO          ?= go
PKG         ?= ./...
FUZZTIME    ?= 20s
OUT         ?= out/demo
GOFUMPT     := $(GO) run mvdan.cc/gofumpt@v0.12.0
STATICCHECK := $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
LINT        := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
BENCHSTAT   := $(GO) run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

.DEFAULT_GOAL := help
.PHONY: help demo test check vet lint race long suites align-matrix fuzz golden bench build fmt
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## the whole job on an emulated drive and module: tables, plots, report in out/demo
	@.ci/setup fio fuse
	@rm -rf $(OUT)
	@POWERD_STORE_PATH=$(OUT).db bin/powerd run demo --twin seagate-1200-400 --out $(OUT)

test: ## all tests, with what they need installed
	@.ci/setup fio fuse
	$(GO) test -timeout 20m $(PKG)

check: vet lint race ## vet, lint, and the tests under the race detector

vet: # go vet, then staticcheck
	$(GO) vet $(PKG)
	$(STATICCHECK) $(PKG)

lint: vet ## go vet, staticcheck, golangci-lint: style and the import map
	$(LINT) run $(PKG)

race: ## tests with the race detector, shuffled
	@.ci/setup fio fuse
	$(GO) test -race -shuffle=on -timeout 40m $(PKG)

long: ## a minute at 250 kS/s from another process: nothing lost, memory flat; 120 s placed within ± 0.5 ms
	POWERD_TEST_LONG=1 $(GO) test -count=1 -v -run FullRateLosesNothing ./quarch/ppm
	POWERD_TEST_LONG=1 $(GO) test -count=1 -v -run AlignmentInRealTime ./powerd/internal/results

align-matrix: ## alignment against the truth in hours of virtual time: a row a scenario, and whether the rows find out what is broken
	POWERD_TEST_LONG=1 $(GO) test -count=1 -v -timeout 20m -run '^Test(Matrix|MatrixFindsWhatIsBroken|AgainstWhatIsUsual|SilentLossIsFoundAndMeasured|NoFalseAlarm)$$' ./analysis/align

suites: ## each built-in suite to its end on a twin, in its short form, against what the twin did (under 30 min)
	@.ci/setup fio fuse
	POWERD_TEST_LONG=1 $(GO) test -count=1 -v -timeout 60m -run '^TestSuites$$' ./powerd

fuzz: ## each fuzz target for FUZZTIME (20s)
	@for p in $$($(GO) list $(PKG)); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done

golden: ## draw the expected pictures again; look at the difference before you commit it
	$(GO) test ./plots -regen

bench: ## benchmarks, ten runs, summarised
	$(GO) test -run '^$$' -bench . -benchmem -count 10 $(PKG) > bench.txt; $(BENCHSTAT) bench.txt

build: ## bin/powerd
	$(GO) build -trimpath -buildvcs=auto -o bin/ ./powerd

fmt: ## rewrite with gofumpt
	$(GOFUMPT) -w $$(git ls-files '*.go')
