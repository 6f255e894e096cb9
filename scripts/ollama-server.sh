#!/usr/bin/env bash
# usage: ollama-server.sh build                     compile the Ollama that go.mod names; print the binary's path
#        ollama-server.sh start FOLDER              serve on a free loopback port, models and log kept in FOLDER; print OLLAMA_HOST=…
#        ollama-server.sh create FOLDER NAME GGUF   make a model of that server from a local file
#        ollama-server.sh stop FOLDER               end that server
# A real Ollama to test and measure against. It is compiled once, from the module proxy, with the flags of our own engine
# (make exports them), and kept in the user's cache folder; build/ollama links to it. PROCTOR_OLLAMA names another binary.
set -euo pipefail
fail() { echo "ollama-server: $*" >&2; exit 1; }
usage() { sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }

# miniaudio writes what Ollama wants of a header that its module lacks. No audio is decoded here.
miniaudio() {
	mkdir -p "$1/miniaudio"
	cat >"$1/miniaudio/miniaudio.h" <<-'HEADER'
		#pragma once
		#include <stddef.h>
		typedef int ma_result;
		typedef unsigned long long ma_uint64;
		typedef struct { int unused; } ma_decoder, ma_decoder_config;
		enum { MA_SUCCESS = 0, MA_NOT_IMPLEMENTED = -29, ma_format_f32 = 5 };
		static inline ma_decoder_config ma_decoder_config_init(int, unsigned, unsigned) { return {}; }
		static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) {
			return MA_NOT_IMPLEMENTED;
		}
		static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) { return MA_NOT_IMPLEMENTED; }
		static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) { return MA_NOT_IMPLEMENTED; }
		static inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_SUCCESS; }
	HEADER
}

build() {
	cd "$(dirname "${BASH_SOURCE[0]}")/.."
	if [ -n "${PROCTOR_OLLAMA:-}" ]; then
		[ -x "$PROCTOR_OLLAMA" ] || fail "PROCTOR_OLLAMA=$PROCTOR_OLLAMA: no program there"
		echo "$PROCTOR_OLLAMA"
		return
	fi
	local version flags target folder
	version=$(go list -m -f '{{.Version}}' github.com/ollama/ollama)
	flags=${CGO_CFLAGS:-$(make -s cflags)}
	# Native code is for one kind of processor, and a cache folder can move to another.
	target=$( (echo "$flags"; ${CC:-gcc} $flags -Q --help=target) | cksum | cut -d ' ' -f 1)
	folder=${XDG_CACHE_HOME:-$HOME/.cache}/proctor/ollama-$version-$target
	if [ ! -x "$folder/ollama" ]; then
		for header in nlohmann/json.hpp stb/stb_image.h; do
			${CXX:-g++} -include "$header" -fsyntax-only -x c++ /dev/null 2>/dev/null ||
				fail "$header is missing: apt-get install nlohmann-json3-dev libstb-dev"
		done
		echo "ollama-server: compiling Ollama $version, some minutes" >&2
		miniaudio "$folder/include"
		local part
		part=$(mktemp -d "$folder/part.XXXXXX")
		trap "rm -rf '$part'" EXIT
		GOBIN=$part CGO_CFLAGS=$flags CGO_CXXFLAGS=$flags CGO_CPPFLAGS=-I$folder/include \
			go install -trimpath -ldflags "-X github.com/ollama/ollama/version.Version=${version#v}" "github.com/ollama/ollama@$version"
		mv "$part/ollama" "$folder/ollama"
	fi
	mkdir -p build
	ln -sfn "$folder/ollama" build/ollama
	echo "$folder/ollama"
}

start() {
	local folder binary host=
	mkdir -p "$1"
	folder=$(cd "$1" && pwd)
	! running "$folder" || fail "$1: its server runs already, OLLAMA_HOST=$(cat "$folder/host")"
	binary=$(build)
	HOME=$folder OLLAMA_MODELS=$folder/models OLLAMA_HOST=127.0.0.1:0 OLLAMA_NO_CLOUD=1 \
		nohup "$binary" serve </dev/null >"$folder/log" 2>&1 &
	echo $! >"$folder/pid"
	for _ in $(seq 300); do
		host=$(sed -n 's/.*Listening on \([0-9.:]*\) .*/\1/p' "$folder/log")
		[ -z "$host" ] || break
		running "$folder" || fail "it ended at once: $(tail -n 1 "$folder/log")"
		sleep 0.1
	done
	[ -n "$host" ] || fail "it does not listen after 30 seconds; its log is $folder/log"
	echo "$host" >"$folder/host"
	echo "OLLAMA_HOST=$host"
}

running() { [ -f "$1/pid" ] && kill -0 "$(cat "$1/pid")" 2>/dev/null; }

create() {
	running "$1" || fail "$1: no server runs there: ollama-server.sh start $1"
	[ -f "$3" ] || fail "$3: no such file"
	local binary gguf model
	binary=$(build)
	gguf=$(realpath "$3")
	model=$(mktemp)
	trap "rm -f '$model'" EXIT
	echo "FROM $gguf" >"$model"
	HOME=$1 OLLAMA_HOST=$(cat "$1/host") "$binary" create "$2" -f "$model"
}

stop() {
	running "$1" || fail "$1: no server runs there"
	kill "$(cat "$1/pid")"
	for _ in $(seq 100); do
		running "$1" || { rm -f "$1/pid" "$1/host"; return; }
		sleep 0.1
	done
	fail "$1: its server has not ended after 10 seconds"
}

case "${1:-} $#" in
"build 1") build ;;
"start 2") start "$2" ;;
"create 4") create "$2" "$3" "$4" ;;
"stop 2") stop "$2" ;;
*) usage ;;
esac
