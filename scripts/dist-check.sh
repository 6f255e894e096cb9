#!/usr/bin/env bash
# usage: dist-check.sh            LONG=1 dist-check.sh does the whole self-test on emulated CPUs, which takes minutes
# Makes the tarball and the image and tries them as people have them: from another folder the same bytes, unpacked in a folder
# of any name, on emulated CPUs, and the image's files as a root that can't be written, as nobody in particular. The first time
# llama.cpp is compiled for all CPUs, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "skipped: the check is for x86-64"; exit 0; }
command -v qemu-x86_64 >/dev/null || { echo "dist-check: qemu-x86_64 is missing: install qemu-user" >&2; exit 1; }
fail() { echo "dist-check: $*" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

version=$(scripts/version.sh)
SOURCE_DATE_EPOCH=$(scripts/version.sh time)
export SOURCE_DATE_EPOCH
name=proctor-$version-linux-amd64
make -s --no-print-directory image
(cd build/dist && sha256sum --check --quiet "$name.tar.gz.sha256" "$name.image.tar.sha256")

# Sources in another folder, without git.
mkdir "$tmp/elsewhere"
git ls-files -z | tar --null -cf - -T - | tar -xf - -C "$tmp/elsewhere"
make -s --no-print-directory -C "$tmp/elsewhere" image "VERSION=$version" >/dev/null
for file in "$name.tar.gz" "$name.image.tar"; do
	cmp "build/dist/$file" "$tmp/elsewhere/build/dist/$file" || fail "another folder makes another $file"
done

mkdir "$tmp/a folder"
tar -xzf "build/dist/$name.tar.gz" -C "$tmp/a folder"
home="$tmp/a folder/$name"
(cd "$home" && sha256sum --check --quiet --strict SHA256SUMS)
GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE)
export HOME=$tmp/home GOMODCACHE GOCACHE
mkdir "$HOME"
[ "$("$home/proctor" --version)" = "proctor version $version" ] || fail "its version is not $version"
for path in "$PWD" "$tmp" "$(go env GOMODCACHE)" "$(go env GOROOT)"; do
	! grep -qF "$path" "$home/proctor" || fail "$path is in the program"
done

# on CPU ARGUMENT…: proctor on an emulated CPU.
on() { qemu-x86_64 -cpu "$1" "$home/proctor" "${@:2}"; }
code=0
on Nehalem doctor >"$tmp/out" 2>"$tmp/err" || code=$?
[ $code = 2 ] && [ ! -s "$tmp/out" ] && [ "$(grep -c '^proctor: .* lacks .*AVX2' "$tmp/err")" = 1 ] ||
	fail "a CPU without AVX2 is not refused: exit $code, $(cat "$tmp/err")"
for cpu in Haswell Skylake-Client max; do
	on "$cpu" doctor >"$tmp/out" 2>"$tmp/err" || fail "on $cpu, doctor: $(cat "$tmp/err")"
	grep -q AVX2 "$tmp/out" || fail "on $cpu, doctor does not see AVX2"
done

"$home/proctor" doctor --self-test >"$tmp/out" || fail "here, the self-test: $(cat "$tmp/out")"
if [ -n "${LONG:-}" ]; then
	# In the emulated process itself: the emulator would not follow the self-test into another one.
	for cpu in Haswell max; do
		on "$cpu" doctor --self-test --kernels ggml >"$tmp/out" 2>"$tmp/err" || fail "on $cpu: $(cat "$tmp/out" "$tmp/err")"
	done
fi
# ggml's kernels are the same code on every CPU that this build is for.
texts() { grep '"kind":"item"' "$1/journal.jsonl" | sed 's/.*"id":"\([^"]*\)".*"text":"\(.*\)","finish".*/\1 \2/' | sort; }
ask() {
	"${@:2}" run --quiet --threads 1 --slots 1 --kernels ggml --shots 0 --limit 3 --max-tokens 8 --seed 3 --out "$1"
	texts "$1" >"$1.txt"
}
ask "$tmp/here" "$home/proctor" >/dev/null
ask "$tmp/there" on Haswell >/dev/null 2>"$tmp/err" || fail "on Haswell, run: $(cat "$tmp/err")"
[ "$(wc -l <"$tmp/here.txt")" = 3 ] || fail "of 3 questions, $(wc -l <"$tmp/here.txt") were answered"
diff "$tmp/here.txt" "$tmp/there.txt" || fail "ggml's kernels answer otherwise on Haswell"

# proctor's own kernels give the same log-probabilities, to the bit, in a build for this machine's CPU and in this one, at every level
# that this CPU has: the control model, and a random one for each kind of operation. RWKV 7 and Qwen 3 Next are not among them: ggml
# computes their states and equations.
make -s --no-print-directory build
go build -o "$tmp/randommodel" ./scripts/tools/randommodel
likely() { # LEVEL PROGRAM MODEL FOLDER
	PROCTOR_KERNELS_LEVEL=$1 "$2" run --quiet --model "$3" --data sample --kernels proctor --threads 1 --slots 1 --shots 0 \
		--limit 2 --max-tokens 8 --ctx 2048 --keep-logprobs --out "$4" >/dev/null 2>"$tmp/err"
}
compared=0
for architecture in control gemma2 gpt2 gpt-oss deepseek2 jamba granitehybrid rwkv6 heads-of-24 heads-of-72; do
	model=$tmp/$architecture.gguf
	case $architecture in
	control) model=embedded ;;
	heads-of-*) "$tmp/randommodel" -params 5M -head "${architecture##*-}" -type F16 -o "$model" >/dev/null ;; # its rows are not packed
	*) "$tmp/randommodel" -params 5M -arch "$architecture" -type Q8_0 -o "$model" >/dev/null ;;
	esac
	likely "" bin/proctor "$model" "$tmp/native-$architecture" || fail "$architecture in the native build: $(cat "$tmp/err")"
	for level in amx avx512 avxvnni avx2; do
		if ! likely $level "$home/proctor" "$model" "$tmp/$level-$architecture"; then
			grep -q 'cannot compute with that level' "$tmp/err" || fail "$architecture with $level: $(cat "$tmp/err")"
			continue
		fi
		cmp "$tmp/native-$architecture/logprobs.bin" "$tmp/$level-$architecture/logprobs.bin" ||
			fail "$architecture has other log-probabilities with $level than in the native build"
		compared=$((compared + 1))
	done
done
[ $compared -ge 8 ] || fail "only $compared log-probabilities of the native build were compared"

# A program without cgo computes with the tarball's library of kernels, in the newest release that is there.
mkdir -p build/engines
engine=$(find build/engines -maxdepth 1 -name '3.*' ! -name '*-*' | sort -V | tail -n 1)
if [ -n "$engine" ]; then
	mkdir "$tmp/plain"
	CGO_ENABLED=0 go build -o "$tmp/plain/proctor" ./cmd/proctor
	cp -r "$home/lib" "$tmp/plain/"
	"$tmp/plain/proctor" run --quiet --engine "$engine" --kernels proctor --limit 2 --out "$tmp/plain/run" >/dev/null 2>"$tmp/err" ||
		fail "the library of kernels: $(cat "$tmp/err")"
fi

if ! unshare -m true 2>/dev/null; then
	echo "the image was not run: that needs root, and mounts"
	exit
fi
mkdir "$tmp/image" "$tmp/root"
tar -xf "build/dist/$name.image.tar" -C "$tmp/image"
for layer in $(sed 's/.*"Layers"//' "$tmp/image/manifest.json" | grep -o 'blobs/sha256/[0-9a-f]*'); do
	tar -xzf "$tmp/image/$layer" -C "$tmp/root"
done
mkdir "$tmp/root/proc" "$tmp/root/dev" # which the runtime of the containers makes
config=$tmp/image/$(grep -o 'blobs/sha256/[0-9a-f]*' "$tmp/image/manifest.json" | head -n 1)
mapfile -t environment < <(sed 's/.*"Env":\[\([^]]*\)\].*/\1/; s/","/"\n"/g' "$config" | tr -d '"')
user=$(grep -o '"User":"[0-9:]*"' "$config" | tr -d '"' | cut -d : -f 2-)
# shellcheck disable=SC2016 # the inner shell's
in_image() {
	unshare -m bash -euc '
		mount --bind "$0" "$0"
		for folder in proc dev; do mount --bind "/$folder" "$0/$folder"; done
		for folder in proctor data tmp; do mount -t tmpfs -o mode=1777 none "$0/$folder"; done
		mount -o remount,ro,bind "$0"
		if touch "$0/file" 2>/dev/null; then exit 1; fi
		exec env -i "${@:3}" "$(command -v chroot)" --userspec="$1" "$0" $2' "$tmp/root" "$user" "$1" "${environment[@]}"
}
in_image "/opt/proctor/proctor run --quiet --limit 2 --out /proctor/run" >"$tmp/out" || fail "the image does not run"
grep -q 'questions/min' "$tmp/out" || fail "the image's run reports nothing"
echo "the tarball and the image are the same from another folder, and run"
