#!/usr/bin/env bash
# usage: race-check.sh
# Runs the long tests of what runs side by side with the race detector: scripts/check.sh leaves these to it.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t packages < <(scripts/concurrent.sh rest)
CGO_CFLAGS=$(make -s cflags)
export CGO_CFLAGS CGO_CXXFLAGS=$CGO_CFLAGS CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK
scripts/test.sh -race -timeout 40m "${packages[@]}"
