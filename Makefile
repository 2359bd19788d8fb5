# make check is all that CI does; the rest are its parts, and what takes too long for it.
.PHONY: check test race fuzz mutants bench microbench pgo golden calibrate docs fmt

# Packages whose tests write their expected files under -update.
GOLDEN = $(sort $(dir $(shell grep -rlE --include=*_test.go 'internal/txtartest"|flag.Bool."update"' .)))
# Each parser alone, for so long.
FUZZTIME ?= 10m
FORMATS = $(filter-out fuzz,$(notdir $(wildcard ingest/testdata/*)))

check:
	.ci/run

test:
	go test ./...

race:
	go test -race ./...

fuzz:
	@for f in $(FORMATS); do \
		echo "$$f"; \
		TIDEMARK_FUZZ=$$f go test ./ingest -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) || exit 1; \
	done

# Damaged samples of each format: no panic, no line lost.
MUTANTS ?= 10000

mutants:
	TIDEMARK_MUTANTS=$(MUTANTS) go test ./ingest -run '^TestMutants$$' -timeout 60m

# docs/benchmarks.md: analyze beside simple peers, whole processes, on a run of SIZE MB. SIZE=1000 takes some ten minutes
# and, for a while, 4 GB of disk.
SIZE ?= 200
ROUNDS ?= 5
bench:
	TIDEMARK_BENCH=$(SIZE) TIDEMARK_ROUNDS=$(ROUNDS) go test ./internal/bench -run '^TestBench$$' -count=1 -timeout 120m -v

# Go's own benchmarks of single functions.
microbench:
	go test ./... -run '^$$' -bench . -benchmem

# What the compiler goes by when it builds analyze: a profile of these benchmarks. An old one costs speed alone.
pgo:
	d=$$(mktemp -d) && go test ./cmd/analyze -trimpath -run '^$$' -bench '^BenchmarkRun$$' -benchtime 6s -o $$d/analyze.test -cpuprofile $$d/cpu && \
		mv $$d/cpu cmd/analyze/default.pgo && rm -r $$d

# Read the diff before you commit it.
golden:
	go test $(GOLDEN) -update

# docs/formats.md and docs/findings.md, from the tables of formats and analyzers.
docs:
	go test . -run '^(TestDocs|TestCIRules|TestFindingIDs)$$' -update

# docs/calibration.md, its diagram and docs/calibration-compare.md: RUNS simulated runs of known truth, half an hour on two cores.
# Seeds up to 1000 are for tuning; what is published begins at SEED, apart from them.
RUNS ?= 1000
SEED ?= 100001
calibrate:
	TIDEMARK_CALIBRATE=$(RUNS) TIDEMARK_SEED=$(SEED) go test ./internal/calibration -run '^TestCalibration$$' -count=1 -timeout 60m -v
	TIDEMARK_CALIBRATE=$(RUNS) TIDEMARK_SEED=$(SEED) go test ./compare -run '^TestCalibration$$' -count=1 -timeout 60m

fmt:
	go tool -modfile=tools/go.mod gofumpt -w .
