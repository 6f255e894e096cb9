#!/usr/bin/env bash
# usage: other-cpus.sh
# A program that was built for another CPU says so in one line and exits with 2, whatever it is asked for: tried on emulated
# CPUs (qemu-user), with a small program that needs as much as it can, and with proctor as make builds it. And kernels for a
# wider CPU are compiled so that nothing else in the program needs it.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "skipped: the check is for x86-64"; exit 0; }
command -v qemu-x86_64 >/dev/null || { echo "other-cpus: qemu-x86_64 is missing: install qemu-user" >&2; exit 1; }
export CGO_CFLAGS=${CGO_CFLAGS-$(make -s cflags)} CGO_CXXFLAGS=${CGO_CXXFLAGS-$(make -s cflags)}
export CGO_CPPFLAGS=${CGO_CPPFLAGS--DGGML_USE_CPU_REPACK}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# portable CPU: what is said of the portable build on a CPU, as a regular expression.
portable() { [ "$1" != Haswell ] || echo ', or take the portable build \(make build PORTABLE=1\)'; }

# refused FEATURE CPU PROGRAM ARGUMENT…: it says that FEATURE is missing, and what helps, in one line, and exits with 2.
refused() {
	local feature=$1 cpu=$2 code=0
	shift 2
	qemu-x86_64 -cpu "$cpu" "$@" >"$tmp/stdout" 2>"$tmp/all" || code=$?
	grep -v '^qemu-x86_64: warning: ' "$tmp/all" >"$tmp/stderr" || true
	if [ "$code" != 2 ] || [ -s "$tmp/stdout" ] || [ "$(wc -l <"$tmp/stderr")" != 1 ] ||
		! grep -qE "^proctor: .* lacks .*\b$feature\b.*; build it on this machine with make$(portable "$cpu")\$" "$tmp/stderr"; then
		echo "other-cpus: ${*##*/} on $cpu, which lacks $feature: exit $code, and" >&2
		cat "$tmp/stdout" "$tmp/stderr" >&2
		exit 1
	fi
}

# program MARCH: a program whose C++ initialiser uses what the compiler has, and the start-up check.
program() {
	cat >"$tmp/main.cpp" <<-'C++'
		#include "cpu.h"
		const uint64_t proctor_cpu_compiled_cxx = PROCTOR_CPU_COMPILED;
		struct sums {
			volatile float of[64];
			sums() {
				for (int i = 0; i < 64; i++) {
					of[i] = of[i] * 3 + 1;
				}
				float f[64];
				for (int i = 0; i < 64; i++) {
					f[i] = of[i];
				}
				for (int i = 0; i < 64; i++) {
					f[i] = f[i] * f[i] + 1;
				}
				for (int i = 0; i < 64; i++) {
					of[i] = f[i];
				}
			}
		} first;
		int main() {}
	C++
	gcc -O3 "-march=$1" -Ibackends/llamacpp/kernels -c backends/llamacpp/kernels/startup.c -o "$tmp/startup.o"
	g++ -O3 "-march=$1" -Ibackends/llamacpp/kernels "$tmp/main.cpp" "$tmp/startup.o" -o "$tmp/$1"
}

for march in x86-64 x86-64-v2 x86-64-v3 haswell skylake-avx512 cascadelake; do program $march; done
for march in x86-64 x86-64-v2; do qemu-x86_64 -cpu Nehalem "$tmp/$march" 2>/dev/null; done
for march in x86-64-v3 haswell; do refused AVX2 Nehalem "$tmp/$march"; done
qemu-x86_64 -cpu Haswell "$tmp/x86-64-v3" 2>/dev/null
for cpu in Nehalem Haswell; do refused AVX512F $cpu "$tmp/skylake-avx512"; done
refused AVX512_VNNI Haswell "$tmp/cascadelake"

# The linker keeps one copy of an inline function: none that others may have, too, and no initialiser may be for a level's CPU.
# What a level may use and must use, as instructions' names or registers.
include=backends/llamacpp/builtin/include
flags="-march=x86-64 -std=c++17 -DNDEBUG -I$include/ggml -I$include/ggml-src -I$include/ggml-src/ggml-cpu"
wide='/^[0-9a-f]+ </ { name = $0 } /\tv[a-z0-9]+ |%[yzt]mm/ && name !~ "kernels::" level "::" { print name }'
level() {
	local level=$1 uses=$2 lacks=$3 optimisation found
	for optimisation in -O0 -O3; do
		g++ $optimisation $flags -c "backends/llamacpp/kernels/$level.cpp" -o "$tmp/kernels.o"
		objdump -dC "$tmp/kernels.o" >"$tmp/kernels.s"
		found=$(awk -v level="$level" "$wide" "$tmp/kernels.s" | sort -u)
		if [ -n "$found" ] || ! grep -E "$uses" "$tmp/kernels.s" >/dev/null || grep -E "$lacks" "$tmp/kernels.s" >/dev/null ||
			objdump -h "$tmp/kernels.o" | grep init_array >/dev/null; then
			echo "other-cpus: $level $optimisation: its instructions where they may not be, or none, others, or an initialiser: $found" >&2
			exit 1
		fi
	done
}
level amx 'tdpbssd' '\{vex\}'
level avx512 'vpdpbusd .*%zmm' '\{vex\}|%tmm'
level avxvnni '\{vex\} vpdpbusd .*%ymm' '%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])'
level avx2 'vpmaddubsw .*%ymm' 'vpdpbusd|%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])'

has() { gcc $CGO_CFLAGS -dM -E - </dev/null | grep "__$1__ " >/dev/null; }
go build -o "$tmp/proctor" ./cmd/proctor
for arguments in "" doctor; do
	! has AVX2 || refused AVX2 Nehalem "$tmp/proctor" $arguments
	! has AVX512F || refused AVX512F Haswell "$tmp/proctor" $arguments
done
echo "a program for another CPU is refused in one line"
