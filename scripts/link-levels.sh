#!/usr/bin/env bash
# usage: link-levels.sh [list|MARCH…]    list: the kinds that it takes where none is named
# ggml's CPU backend and our kernels compile and link for each kind of x86-64 CPU, with the Makefile's flags, and the kernels'
# tests pass on this machine or are refused by it. The first time takes minutes; Go's build cache keeps what was compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "skipped: the check is for x86-64"; exit 0; }
marches=(x86-64-v2 x86-64-v3 haswell skylake-avx512 icelake-server alderlake znver2 znver4 sapphirerapids native)
case ${1:-} in
list) printf '%s\n' "${marches[@]}" && exit ;;
'') set -- "${marches[@]}" ;;
esac
make -s --no-print-directory headers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK
for march in "$@"; do
	if ! gcc "-march=$march" -E -x c /dev/null >/dev/null 2>&1; then
		echo "$march: skipped, $(gcc --version | head -n 1) does not know it"
		continue
	fi
	# It links or it does not: -O3 takes twice as long.
	flags="$(env -u CGO_CFLAGS make -s --no-print-directory cflags "MARCH=-march=$march") -O1"
	export CGO_CFLAGS=$flags CGO_CXXFLAGS=$flags
	go test -c -o "$tmp/kernels.test" ./backends/llamacpp/kernels
	code=0
	(cd backends/llamacpp/kernels && "$tmp/kernels.test") >"$tmp/output" 2>&1 || code=$?
	lacks=$(sed -n 's/^proctor: .* lacks \([^;]*\);.*/\1/p' "$tmp/output")
	if [ $code = 0 ]; then
		echo "$march: links, tests pass"
	elif [ $code = 2 ] && [ -n "$lacks" ]; then
		echo "$march: links; this machine lacks $lacks"
	else
		cat "$tmp/output" >&2
		echo "link-levels: $march: the kernels' tests fail" >&2
		exit 1
	fi
	rm "$tmp/kernels.test"
done
