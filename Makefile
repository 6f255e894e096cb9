# proctor needs Go, gcc, g++ and make; everything else comes through the Go module proxy.

# llama.cpp is compiled by `go build` from the module cache, and only the environment reaches it there:
# without -march it runs SSE code, 20 times slower. Change a flag and Go compiles it again, for minutes.
# PORTABLE=1 builds for every x86-64 CPU since about 2013 instead of for this one.
# ggml calls its AMX code where the compiler may use AMX, and no Go package of the module has that code: it would not link.
GOARCH ?= $(shell go env GOARCH)
AMD64 := $(filter amd64,$(GOARCH))
MARCH := $(if $(PORTABLE),$(if $(AMD64),-march=x86-64-v3),-march=native)
NO_AMX := $(if $(AMD64),-mno-amx-tile -mno-amx-int8 -mno-amx-bf16)
export CGO_CFLAGS   ?= -O3 $(MARCH) $(NO_AMX)
export CGO_CXXFLAGS ?= -O3 $(MARCH) $(NO_AMX)
export CGO_CPPFLAGS ?= -DGGML_USE_CPU_REPACK

VERSION := $(shell scripts/version.sh)
LDFLAGS := -X main.version=$(VERSION)
HEADERS := backends/llamacpp/llama/include

.DEFAULT_GOAL := build

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: headers ## build bin/proctor (the first build compiles llama.cpp: some minutes); PORTABLE=1: for other CPUs too
	go build -ldflags '$(LDFLAGS)' -o bin/proctor ./cmd/proctor

.PHONY: run
run: build ## run the embedded control model on the bundled sample and report
	bin/proctor run

.PHONY: test
test: headers ## run every test; says at the end what was skipped for want of which files
	scripts/test.sh

.PHONY: check
check: headers ## what CI runs: format, vet, staticcheck, govulncheck, tests with -race, tidy go.mod, clean tree
	scripts/check.sh

.PHONY: bench
bench: build ## run the benchmarks, then lay proctor, a plain loop and a real Ollama side by side on few-shot questions
	go test -run '^$$' -bench . -benchmem ./...
	scripts/bench.sh

FUZZTIME ?= 20s
.PHONY: fuzz
fuzz: headers ## fuzz every parser and the grader, FUZZTIME (20s) each
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: control-model
control-model: ## train backends/embedded/control.gguf again, from its seed (about an hour on 2 cores)
	go run ./scripts/controlmodel -o backends/embedded/control.gguf

.PHONY: arithmetic
arithmetic: ## write 300 fresh sums to build/arithmetic: bin/proctor run --data build/arithmetic
	go run ./scripts/arithmetic -n 300 -seed 77 -o build/arithmetic

.PHONY: ollama
ollama: ## build build/ollama, the real Ollama to test against, once a version (needs nlohmann-json3-dev, libstb-dev)
	scripts/ollama-server.sh build

# What people install is for every x86-64 CPU with AVX2, whatever flags the environment has for this machine.
.PHONY: dist
dist: headers ## write build/dist/proctor-VERSION-linux-GOARCH.tar.gz: what people install
	$(call dist,tarball)

.PHONY: image
image: dist ## write build/dist/proctor-VERSION-linux-GOARCH.image.tar from it: docker load -i FILE
	$(call dist,image)

DIST_FLAGS := -O3 $(if $(AMD64),-march=x86-64-v3) $(NO_AMX)
dist = CGO_CFLAGS='$(DIST_FLAGS)' CGO_CXXFLAGS='$(DIST_FLAGS)' CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK GOARCH= CGO_ENABLED=0 \
	go run ./scripts/dist -version '$(VERSION)' -goarch $(GOARCH) -time $(shell scripts/version.sh time) -o build/dist $(1)

.PHONY: clean
clean: ## remove what was built
	rm -rf bin build $(HEADERS)

# A cgo directive can't name the module cache, so the headers are linked to where one can.
.PHONY: headers
headers:
	@scripts/headers.sh $(HEADERS)

# For scripts that compile without make.
.PHONY: cflags
cflags:
	@echo '$(CGO_CFLAGS)'
