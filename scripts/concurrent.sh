#!/usr/bin/env bash
# usage: concurrent.sh [rest]
# Lists the packages that start goroutines, lock something or count for several: those that the race detector always looks at, or
# with rest those whose tests take too long for that.
set -euo pipefail
cd "$(dirname "$0")/.."
rest='^\./(cmd/proctor|backends/llamacpp|backends/llamacpp/llama|backends/llamacpp/kernels|runner/mark/stats|scripts/.*)$'
keep=-v
[ "${1:-}" != rest ] || keep=
git grep -lE '^\s*go (func|[a-zA-Z_.]+\()|errgroup|sync\.|atomic\.' -- '*.go' ':!*_test.go' |
	xargs -n 1 dirname | sed 's,^,./,' | sort -u | grep $keep -E "$rest"
