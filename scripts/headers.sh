#!/bin/sh
# usage: headers.sh FOLDER
# Links llama.cpp's and ggml's headers from the module cache into FOLDER, where cgo directives can name them.
set -eu
folder=${1:?usage: headers.sh FOLDER}
module=$(go list -m -f '{{.Dir}}' github.com/ollama/ollama)
if [ -z "$module" ]; then
	go mod download github.com/ollama/ollama
	module=$(go list -m -f '{{.Dir}}' github.com/ollama/ollama)
fi
mkdir -p "$folder"
ln -sfn "$module/llama/llama.cpp/include" "$folder/llama"
ln -sfn "$module/ml/backend/ggml/ggml/include" "$folder/ggml"
ln -sfn "$module/ml/backend/ggml/ggml/src" "$folder/ggml-src"
