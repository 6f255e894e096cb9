#!/usr/bin/env bash
# usage: race-check.sh [PACKAGE…]
# Runs the long tests of concurrent packages with the race detector, which scripts/check.sh leaves out, or those of some packages.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# = 0 ]; then
	mapfile -t packages < <(scripts/concurrent.sh rest)
	set -- "${packages[@]}"
fi
CGO_CFLAGS=$(make -s cflags)
export CGO_CFLAGS CGO_CXXFLAGS=$CGO_CFLAGS CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK
scripts/test.sh -race "$@"
