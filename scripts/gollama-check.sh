#!/usr/bin/env bash
# usage: gollama-check.sh
# Builds go-llama.cpp's library and bin/proctor-gollama from nothing, runs the backends' contract on them, and has them
# and the compiled-in engine continue four prompts with a small random model: at least two texts must be the same. pip
# fetches the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "gollama-check: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
GOCACHE=$(go env GOCACHE)
export GOCACHE XDG_CACHE_HOME=$folder # which has no library yet
flags=$(scripts/gollama.sh) || { [ $? = 3 ] && echo "gollama-check: skipped" && exit; exit 1; }
eval "$flags"
make -s gollama
CGO_CFLAGS=$(make -s cflags)
export LIBRARY_PATH CGO_CFLAGS CGO_CXXFLAGS=$CGO_CFLAGS CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK
go test -count 1 -tags gollama -modfile "$MODFILE" ./backends/gollama

go run ./scripts/tools/randommodel -params 5M -o "$folder/model.gguf"
answer() { # MODEL NAME
	bin/proctor-gollama run --model "$1" --limit 4 --shots 0 --prompt raw --max-tokens 16 --quiet --out "$folder/$2" \
		>/dev/null 2>"$folder/$2.log" || { cat "$folder/$2.log" >&2; fail "$1 does not answer"; }
	bin/proctor-gollama report "$folder/$2" --items --with-text --format jsonl >"$folder/$2.jsonl"
	grep -o '"completion":"[^"]*"' "$folder/$2.jsonl" | sort >"$folder/$2.txt" || fail "$1 has no answers"
}
answer "$folder/model.gguf" own
answer "gollama:$folder/model.gguf" other
same=$(comm -12 "$folder/own.txt" "$folder/other.txt" | wc -l)
[ "$same" -ge 2 ] || { cat "$folder"/*.txt >&2; fail "$same of 4 texts are the same"; }
echo "gollama-check: $same of 4 texts are the same"
