#!/usr/bin/env bash
# usage: kernels-library.sh FILE [OBJECT…]
# Makes FILE, the kernels as a shared library (kernels.h): for a proctor without cgo, and as a backend that GGML_BACKEND_PATH names for
# other programs with llama.cpp. It has a ggml of its own, by which it finds out how another one lays out what the kernels read. OBJECTs are
# linked to it. It is compiled once for its sources and compiler, which takes minutes, for every CPU of 64 bits: what a level of
# kernels needs, its own files ask for.
set -euo pipefail
fail() { echo "kernels-library: $*" >&2; exit 1; }
file=$(realpath -m "${1:?usage: kernels-library.sh FILE [OBJECT…]}")
shift
objects=()
for object; do objects+=("$(realpath "$object")"); done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || fail "there are kernels for linux/amd64 alone"
CC=${CC:-gcc} CXX=${CXX:-g++}
for tool in "$CC" "$CXX"; do
	command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install gcc g++"
done

kernels=backends/llamacpp/kernels
module=github.com/ollama/ollama/ml/backend/ggml/ggml
ggml=$(go list -m -f '{{.Dir}}' github.com/ollama/ollama)/ml/backend/ggml/ggml
flags=(-O3 -fPIC -ffunction-sections -fdata-sections -DNDEBUG -D_GNU_SOURCE "-I$ggml/include" "-I$ggml/src" "-I$ggml/src/ggml-cpu"
	"-ffile-prefix-map=$ggml=$module" "-ffile-prefix-map=$PWD=proctor" -DGGML_VERSION=0x0 -DGGML_COMMIT=0x0)
# As in the Makefile.
flags+=(-Wa,-mbranches-within-32B-boundaries)
# libm.c defines what it would otherwise be compiled to calls of.
own=(-fno-builtin-{cos,erf,exp,exp2,expm1,log,log1p,log2,pow,sin,tanh})
# It multiplies with nothing but the kernels, and its own ggml computes no model.
unused=(-O1 -w)

# compile SOURCE FLAG…: an object of it.
compile() {
	local source=$1 compiler=("$CC")
	shift
	[[ $source != *.cpp ]] || compiler=("$CXX" -std=c++17)
	"${compiler[@]}" "${flags[@]}" "$@" -c "$source" -o "$part/$(echo "${source#"$ggml"}" | tr / _).o"
}

key=$( (cat "$kernels"/*.{h,c,cpp} "$kernels"/plugin/* "${BASH_SOURCE[0]}"; "$CC" --version; "$CXX" --version; echo "$ggml") | sha256sum | cut -c 1-16)
built=${XDG_CACHE_HOME:-$HOME/.cache}/proctor/kernels-$key
if [ ! -d "$built" ]; then
	echo "kernels-library: compiling the kernels as a shared library, some minutes" >&2
	mkdir -p "$(dirname "$built")"
	part=$(mktemp -d "$built.part.XXXXXX")
	trap 'rm -rf "$part"' EXIT
	running=()
	start() {
		[ ${#running[@]} -lt "$(nproc)" ] || { wait "${running[0]}"; running=("${running[@]:1}"); }
		compile "$@" &
		running+=($!)
	}
	for source in "$kernels"/*.cpp "$kernels"/plugin/*.cpp; do start "$source"; done
	for source in "$kernels"/*.c; do start "$source" "${own[@]}"; done
	for source in ggml.c ggml-quants.c ggml-alloc.c ggml-backend.cpp ggml-threading.cpp ggml-cpu/ggml-cpu.c ggml-cpu/ggml-cpu.cpp \
		ggml-cpu/ops.cpp ggml-cpu/quants.c ggml-cpu/repack.cpp ggml-cpu/traits.cpp ggml-cpu/binary-ops.cpp ggml-cpu/unary-ops.cpp \
		ggml-cpu/vec.cpp ggml-cpu/arch/x86/quants.c ggml-cpu/arch/x86/repack.cpp ggml-cpu/arch/x86/cpu-feats.cpp; do
		start "$ggml/src/$source" "${unused[@]}"
	done
	for job in "${running[@]}"; do wait "$job"; done
	mv "$part" "$built"
	trap - EXIT
fi
mkdir -p "$(dirname "$file")"
# It stays where it is loaded: a ggml has its functions.
"$CXX" -shared -o "$file.part" "$built"/*.o "${objects[@]}" -s -static-libgcc -static-libstdc++ -lpthread -ldl -lresolv -lm \
	-Wl,--gc-sections,--no-undefined,-Bsymbolic,-z,nodelete,--build-id=none,-soname,libproctor-kernels.so \
	-Wl,--version-script=$kernels/plugin/exports.txt
mv "$file.part" "$file"
