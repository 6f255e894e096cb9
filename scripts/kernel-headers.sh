#!/usr/bin/env bash
# usage: kernel-headers.sh
# The kernels compile without a warning, and each of their headers alone, for each level that includes it: it includes what it uses.
# A level's own headers come after what its file begins with, up to the compiler's target (level_headers.h says why).
set -euo pipefail
cd "$(dirname "$0")/../backends/llamacpp/kernels"
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "skipped: the check is for x86-64"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
include=$PWD/../builtin/include
compile=(g++ -march=x86-64 -std=c++17 -DNDEBUG -Wall -Wextra -Werror "-I$tmp" "-I$PWD" -isystem "$include/ggml"
	-isystem "$include/ggml-src" -isystem "$include/ggml-src/ggml-cpu")

# What levels take from outside takes longest to read: once for all.
printf '#include "cpu.h"\n#include "level_headers.h"\n' >"$tmp/outside.h"
"${compile[@]}" -x c++-header "$tmp/outside.h" -o "$tmp/outside.h.gch"

levels=$(grep -l '^#include "level_headers.h"' -- *.cpp)
for level in $levels; do
	for header in $("${compile[@]}" -MM "$level" | tr -d '\\' | xargs -n 1 | grep -v -e / -e :); do
		grep -q PROCTOR_LEVEL "$header" || continue
		echo "$header" >>"$tmp/of-levels"
		source=$tmp/${level%.cpp}-$header.cpp
		{
			echo '#include "outside.h"'
			sed '/^#pragma GCC target/q' "$level"
			printf '#include "%s"\n#endif\n' "$header"
		} >"$source"
		echo "$source"
	done
done >"$tmp/sources"
for header in *.h; do
	if ! grep -q PROCTOR_LEVEL "$header"; then
		echo "#include \"$header\"" >"$tmp/alone-$header.cpp"
		echo "$tmp/alone-$header.cpp" >>"$tmp/sources"
	elif ! grep -qx "$header" "$tmp/of-levels"; then
		echo "kernel-headers: $header names a level, and none includes it" >&2
		exit 1
	fi
done
printf '%s\n' "$PWD"/*.cpp "$PWD"/kernelstest/*.cpp >"$tmp/whole"
xargs -n 1 -P "$(nproc)" "${compile[@]}" -fsyntax-only < <(cat "$tmp/sources" "$tmp/whole")
echo "$(wc -l <"$tmp/sources") headers compile alone, each for each level that includes it"
