#!/usr/bin/env bash
# usage: gollama.sh FOLDER
# Builds the library of go-llama.cpp, at the version that go.mod names, outside of the repository, and prints the flags with which
# `go build -tags gollama` links it. FOLDER has the sources of llama.cpp of 27 September 2023, the commit that go-llama.cpp has as a
# submodule, which no module zip carries. It is compiled once a version and kept in the user's cache folder; what is missing is named
# before anything is compiled. The library's llama.cpp is hidden behind the binding's own functions, since this program has another.
set -euo pipefail
fail() { echo "gollama: $*" >&2; exit 1; }
sources=${1:-}
[ $# = 1 ] && [ -n "$sources" ] || { sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ -d "$sources" ] || fail "$sources: no such folder: give the sources of llama.cpp of 27 September 2023"
sources=$(cd "$sources" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing=
need() { missing="$missing${missing:+, }$1"; }
for tool in cmake git patch ld objcopy ar make "${CXX:-g++}"; do
	command -v "$tool" >/dev/null || need "$tool (apt-get install cmake git patch binutils make g++)"
done
for file in llama.h llama.cpp ggml.c k_quants.c ggml-alloc.c CMakeLists.txt common/common.h common/grammar-parser.h; do
	[ -f "$sources/$file" ] || need "$file"
done
[ -z "$missing" ] || fail "missing in $sources, which is to have llama.cpp of 27 September 2023, or on this machine: $missing"

name=github.com/go-skynet/go-llama.cpp
go mod download $name
version=$(go list -m -f '{{.Version}}' $name)
module=$(go list -m -f '{{.Dir}}' $name)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/proctor/gollama-$version
if [ ! -f "$folder/libbinding.a" ]; then
	work=$folder.part
	rm -rf "$work"
	mkdir -p "$work"
	trap 'rm -rf "$work"' EXIT
	cp -r "$module/." "$work/source"
	chmod -R u+w "$work/source"
	cp -r "$sources/." "$work/source/llama.cpp"
	# Its build asks git for a number and does not compile without one: sources that were unpacked have none.
	rm -rf "$work/source/llama.cpp/.git"
	git -C "$work/source" init -q
	git -C "$work/source" -c user.name=proctor -c user.email=proctor@localhost commit -q --allow-empty -m sources
	echo "gollama: compiling, some minutes" >&2
	make -C "$work/source" CXX="${CXX:-g++} -fno-gnu-unique -DLOG_DISABLE_LOGS" libbinding.a >"$folder.log" 2>&1 ||
		fail "it does not compile: see $folder.log"
	# One object, of whose names only the binding's are seen from outside; also templates are its own then.
	ld -r --force-group-allocation --whole-archive "$work/source/libbinding.a" -o "$work/all.o"
	for function in load_model load_state save_state eval get_embeddings get_token_embeddings speculative_sampling llama_allocate_params \
		llama_free_params llama_binding_free_model llama_tokenize_string llama_predict; do
		echo $function
	done >"$work/names"
	objcopy --keep-global-symbols="$work/names" "$work/all.o"
	ar rcs "$work/libbinding.a" "$work/all.o"
	rm -rf "$work/source" "$work/all.o" "$work/names"
	# Its Go files with the binding's C++ in the library: their own copy of that would ask for llama.cpp by its names.
	mkdir "$work/module"
	cp "$module"/*.go "$module"/go.* "$module/binding.h" "$work/module"
	rm -rf "$folder"
	mv "$work" "$folder"
fi
cp go.mod "$folder/proctor.mod"
cp go.sum "$folder/proctor.sum"
go mod edit -replace "$name=$folder/module" "$folder/proctor.mod"
echo "LIBRARY_PATH=$folder"
echo "MODFILE=$folder/proctor.mod"
