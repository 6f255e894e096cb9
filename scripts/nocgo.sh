#!/usr/bin/env bash
# usage: nocgo.sh
# Without cgo proctor builds for every system, each of these in seconds once Go's cache has the packages; the first time takes minutes.
# The program for this system reports and compares without a llama.cpp, and says in one line what needs one.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CGO_ENABLED=0
go vet ./... # make quick does so with what changed
for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do
	GOOS=${target%/*} GOARCH=${target#*/} go build -o "$tmp/${target/\//-}" ./cmd/proctor
done
for target in darwin/arm64 windows/amd64; do # the tests, too
	GOOS=${target%/*} GOARCH=${target#*/} go vet ./...
done
proctor=$tmp/$(go env GOHOSTOS)-$(go env GOHOSTARCH)
[ -x "$proctor" ] || { echo "builds for every system; none of them is this one"; exit 0; }
export XDG_CACHE_HOME=$tmp PROCTOR_DATA=$tmp

fail() { echo "nocgo: $*" >&2; cat "$tmp/stdout" "$tmp/stderr" >&2; exit 1; }
# does TEXT COMMAND…: the command succeeds, and its output has a text.
does() {
	local text=$1
	shift
	"$proctor" "$@" >"$tmp/stdout" 2>"$tmp/stderr" && grep -qF "$text" "$tmp/stdout" || fail "proctor $*: no $text"
}
# refuses LINE COMMAND…: that is all it says, and it exits with 2.
refuses() {
	local line=$1 code=0
	shift
	"$proctor" "$@" >"$tmp/stdout" 2>"$tmp/stderr" || code=$?
	[ $code = 2 ] && [ "$(cat "$tmp/stdout" "$tmp/stderr")" = "proctor: $line" ] || fail "proctor $*: exit $code, and not: $line"
}

journal=runner/journal/testdata/journal.jsonl
without="this proctor was built without llama.cpp"
does "proctor version" version
does "none: $without: --engine DIR, proctor engine pull, or build with cgo (make)" doctor
does "has no lib/libproctor-kernels.so beside it" doctor
does '"accuracy"' report "$journal" --format json
does '"pairs"' compare "$journal" "$journal" --format json
does " files, " bundle -o "$tmp/bundle.tar"
does "" bundle check "$tmp/bundle.tar"
refuses "$without: --engine DIR, proctor engine pull, or build with cgo (make)" run --out "$tmp/run"
refuses "embedded cannot be quantised: $without: --engine DIR, proctor engine pull, or build with cgo (make)" sweep embedded --types Q8_0 --out "$tmp/sweep"
refuses "there is nothing to test: $without: build with cgo (make)" doctor --self-test --format json
echo "without cgo: builds for linux, darwin and windows; reports, and refuses in one line what needs llama.cpp"
