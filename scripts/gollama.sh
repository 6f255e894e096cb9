#!/usr/bin/env bash
# usage: gollama.sh [FOLDER]
# Builds the library of go-llama.cpp, at the version that go.mod names, outside of the repository, and prints the flags with which
# `go build -tags gollama` links it. FOLDER has the sources of llama.cpp of 27 September 2023, the commit that go-llama.cpp has as a
# submodule, which no module zip carries; without it pip fetches them, in a source package of those days. It is compiled once a version and
# kept in the user's cache folder; what is missing is named before anything is compiled, exit code 3 means the sources. The library's
# llama.cpp is hidden behind the binding's own functions, since this program has another.
set -euo pipefail
fail() { echo "gollama: $*" >&2; exit 1; }
sources=${1:-}
[ $# -le 1 ] || { sed -n '2,7s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
if [ -n "$sources" ]; then
	[ -d "$sources" ] || fail "$sources: no such folder: give the sources of llama.cpp of 27 September 2023"
	sources=$(cd "$sources" && pwd)
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# fetch FOLDER: the sources, checked.
fetch() {
	local package=llama_cpp_python-0.2.7
	python3 -m pip download --quiet --no-input --retries 1 --no-cache-dir --no-deps --no-binary :all: --dest "$1" \
		llama-cpp-python==0.2.7 >/dev/null 2>&1 || {
		echo "gollama: pip cannot fetch llama-cpp-python 0.2.7, which has the sources: is there pip (apt-get install python3-pip)," \
			"is there a network? Or give their folder" >&2
		exit 3
	}
	echo "2267d3e90bf461ee581dc78332007ea15d9b40e79471850455458b399e3f1887  $1/$package.tar.gz" | sha256sum --quiet -c - >&2 ||
		fail "llama-cpp-python is not the package that is known by its SHA-256"
	tar -xzf "$1/$package.tar.gz" -C "$1" --strip-components 3 $package/vendor/llama.cpp
}

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
	if [ -z "$sources" ]; then
		sources=$work/fetched
		mkdir "$sources"
		fetch "$sources"
	fi
	missing=
	need() { missing="$missing${missing:+, }$1"; }
	for tool in cmake git patch ld objcopy ar make "${CXX:-g++}"; do
		command -v "$tool" >/dev/null || need "$tool (apt-get install cmake git patch binutils make g++)"
	done
	for file in llama.h llama.cpp ggml.c k_quants.c ggml-alloc.c CMakeLists.txt common/common.h common/grammar-parser.h; do
		[ -f "$sources/$file" ] || need "$file"
	done
	[ -z "$missing" ] || fail "missing in $sources, which is to have llama.cpp of 27 September 2023, or on this machine: $missing"
	cp -r "$module/." "$work/source"
	chmod -R u+w "$work/source"
	cp -r "$sources/." "$work/source/llama.cpp"
	# Its build asks git for a number and does not compile without one: sources that were unpacked have none.
	rm -rf "$work/source/llama.cpp/.git"
	git -C "$work/source" init -q
	git -C "$work/source" -c user.name=proctor -c user.email=proctor@localhost commit -q --allow-empty -m sources
	echo "gollama: compiling, some minutes" >&2
	# cmake builds llama.cpp's own programs too, unless it is told not to.
	CMAKE_ARGS="${CMAKE_ARGS:-} -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF" CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
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
	rm -rf "$work/source" "$work/fetched" "$work/all.o" "$work/names"
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
