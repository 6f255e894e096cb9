#!/usr/bin/env bash
# usage: arm64.sh
# proctor for arm64, compiled by Debian's cross compiler and run by qemu-user: a CPU that it was not built for is refused in one
# line; the tests of what only computes pass, reports' goldens among them; the control model writes what it writes on x86-64.
# And what needs no C compiles for macOS. The first time llama.cpp is compiled, for minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" = linux/amd64 ] || { echo "skipped: the check is for a machine of x86-64"; exit 0; }
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
	command -v $tool >/dev/null ||
		{ echo "arm64: $tool is missing: install gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user" >&2; exit 1; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "arm64: $*" >&2; exit 1; }

# The packages that need no C, nor do their tests.
ggml=github.com/ollama/ollama/ml/backend/ggml/ggml/src
go list -test -f "{{\$p := .ImportPath}}{{range .Deps}}{{if eq . \"$ggml\"}}{{\$p}}{{end}}{{end}}" ./... |
	sed 's/\.test$//; s/ .*//' | sort -u >"$tmp/c"
pure=$(go list ./backends/... ./prompts/... ./runner/... | grep -vxFf "$tmp/c")
GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet $pure
echo "macOS: $(wc -w <<<"$pure") packages pass go vet"

# From here on by the Makefile's flags, and no others.
unset CGO_CFLAGS CGO_CXXFLAGS CGO_CPPFLAGS CC CXX
make -s --no-print-directory build GOARCH=arm64 2>"$tmp/log" || { cat "$tmp/log" >&2; exit 1; }
proctor=$PWD/bin/proctor-linux-arm64
export QEMU_LD_PREFIX=${QEMU_LD_PREFIX-/usr/aarch64-linux-gnu}

code=0
qemu-aarch64 -cpu cortex-a72 "$proctor" doctor >"$tmp/output" 2>&1 || code=$?
line='proctor: this program was built for another CPU: this machine lacks LSE, RDM, DOTPROD; build it on this machine with make'
[ $code = 2 ] && [ "$(cat "$tmp/output")" = "$line" ] || fail "on a Cortex-A72: exit $code, and $(cat "$tmp/output")"
for cpu in neoverse-n1 max; do
	qemu-aarch64 -cpu $cpu "$proctor" doctor >"$tmp/output" 2>"$tmp/log" || fail "doctor on $cpu: $(cat "$tmp/log")"
	grep -q '^ *kernels .*ggml.* none for arm64' "$tmp/output" || fail "doctor on $cpu: $(cat "$tmp/output")"
done
echo "arm64: refused on a Cortex-A72, runs on a Neoverse N1"

# The control model writes the same on both. On one thread: emulated ones wait for each other.
make -s --no-print-directory build 2>"$tmp/log" || { cat "$tmp/log" >&2; exit 1; }
ask() {
	local out=$1
	shift
	"$@" run --limit 7 --shots 0 --kernels ggml --slots 1 --threads 1 --seed 3 --quiet --out "$tmp/$out" >"$tmp/report"
}
texts() { sed -n 's/.*"kind":"item","id":"\([^"]*\)".*"text":\(.*\),"finish".*/\1 \2/p' "$1/journal.jsonl" | sort; }
ask here bin/proctor
ask there qemu-aarch64 -cpu neoverse-n1 "$proctor"
texts "$tmp/here" >"$tmp/here.txt"
texts "$tmp/there" >"$tmp/there.txt"
[ "$(wc -l <"$tmp/here.txt")" = 7 ] || fail "no texts in $(head -c 300 "$tmp/here/journal.jsonl")"
diff "$tmp/here.txt" "$tmp/there.txt" || fail "the control model writes something else"
echo "arm64: the control model writes the same 7 texts"

# Left out: what measures its own time, which emulation takes fifty times of or does not tell, or starts itself, outside of it.
export GOOS=linux GOARCH=arm64 CGO_ENABLED=0 PROCTOR_OLLAMA=/none
go test -exec qemu-aarch64 -skip 'InTimeProportional|HostileTemplate|AKilledProcess|MeasuringCounts|OneCPU|IsSampled' $pure
