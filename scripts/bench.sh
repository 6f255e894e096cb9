#!/usr/bin/env bash
# usage: bench.sh [FLAG…]   lay proctor, a plain loop and a real Ollama side by side on 48 few-shot questions
# The model has 100 million random weights in Q4_K_M and answers as fast as one that was trained; it is made once, in
# build/bench. Ollama is left out where it is not built (make ollama). FLAGs are those of `proctor bench`, as in
# `scripts/bench.sh --rounds 3 --questions 24`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=build/bench
vocabulary=../shared/models/vocab-phi-3.gguf # a model's file without weights, on machines that have one
model=$folder/random-100M-Q4_K_M.gguf
if [ ! -f "$model" ]; then
	mkdir -p "$folder"
	vocab=()
	[ ! -f "$vocabulary" ] || vocab=(-vocab "$vocabulary")
	go run ./scripts/tools/randommodel -params 100M -type Q4_K_M "${vocab[@]}" -o "$model.part" >&2
	mv "$model.part" "$model"
fi
models=("$model") at=()
if scripts/ollama-server.sh build >/dev/null; then
	home=$(mktemp -d)
	trap 'scripts/ollama-server.sh stop "$home"; rm -rf "$home"' EXIT
	host=$(OLLAMA_NUM_PARALLEL=8 scripts/ollama-server.sh start "$home")
	export "${host?}"
	scripts/ollama-server.sh create "$home" bench "$model" >/dev/null 2>&1
	models+=(ollama:bench) at=(--concurrency 8) # as many as it answers, from the first question on
fi
bin/proctor bench --exam "${at[@]}" "$@" "${models[@]}"
printf '\na plain loop on llama.cpp as it is:\n'
bin/proctor bench --exam --kernels ggml --slots plain "$@" "$model"
