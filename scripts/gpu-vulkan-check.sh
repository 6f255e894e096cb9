#!/usr/bin/env bash
# usage: gpu-vulkan-check.sh          LONG=1: the tests on the device, more questions, layers chosen by memory, and two devices, too
# The GPU path without a GPU: ggml's Vulkan backend on Mesa's llvmpipe, which computes on the CPU. Builds proctor and the backend,
# runs the tests that need one, and asks the control model some of the sample with no layer, some and all on the device: letters
# must agree. What is absent or wrong must be refused in one line, and doctor must list the device. Its speed says nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "gpu-vulkan-check: $*" >&2; exit 1; }
[ "$(uname -s)" = Linux ] || { echo "skipped: the check is for Linux"; exit 0; }
llvmpipe=$(find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name 'lvp_icd*.json' -print -quit 2>/dev/null || true)
[ -n "$llvmpipe" ] || fail "llvmpipe is missing: apt-get install mesa-vulkan-drivers"
# The only device: a GPU that this machine has is left alone.
export VK_DRIVER_FILES=$llvmpipe VK_ICD_FILENAMES=$llvmpipe GGML_VK_VISIBLE_DEVICES=0
export LP_NUM_THREADS=1 # Mesa 22.3's llvmpipe corrupts its memory with more
unset PROCTOR_GGML_BACKENDS
make -s build gpu-vulkan
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp bin/proctor "$tmp/proctor" # without a lib beside it
proctor=$tmp/proctor libraries=$PWD/bin/lib/vulkan

# Many models in one process now and then end in an abort within llvmpipe (Mesa 22.3); a run has one.
if [ -n "${LONG:-}" ]; then
	echo "-- tests on the device"
	for devices in 0 0,0; do # the second time it stands for two GPUs
		GGML_VK_VISIBLE_DEVICES=$devices PROCTOR_GGML_BACKENDS=$libraries go test -count 1 -run GPU ./backends/llamacpp
	done
fi

# refused CODE TEXT COMMAND…: one line on standard error that has TEXT.
refused() {
	local want=$1 text=$2 code=0
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	if [ "$code" != "$want" ] || [ -s "$tmp/out" ] || [ "$(wc -l <"$tmp/err")" != 1 ] || ! grep -qF -- "$text" "$tmp/err"; then
		cat "$tmp/out" "$tmp/err" >&2
		fail "$*: exit $code; wanted $want and one line with: $text"
	fi
	echo "refused: $(cut -c1-200 "$tmp/err")"
}
# Without shots: the device that is emulated takes a second for ten tokens of a prompt.
run() {
	"$proctor" run --subjects law,math --limit "${LONG:+1}6" --shots 0 --slots 4 --max-tokens 24 --seed 3 --quiet \
		--format json "$@"
}

# report NAME FLAG…: a run's report; where llvmpipe crashes, it is tried again.
report() {
	local name=$1 try
	shift
	for try in 1 2 3; do
		rm -rf "${tmp:?}/$name"
		! run --out "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/err" || return 0
		grep -qE 'SIGABRT|SIGSEGV' "$tmp/err" || break
		echo "llvmpipe crashed in attempt $try" >&2
	done
	cat "$tmp/err" >&2
	fail "a run failed: $*"
}

echo "-- runs"
report cpu
for layers in all 2 ${LONG:+auto two}; do
	case $layers in
	two) GGML_VK_VISIBLE_DEVICES=0,0 PROCTOR_GGML_BACKENDS=$libraries report two --gpu-layers all ;;
	*) PROCTOR_GGML_BACKENDS=$libraries report $layers --gpu-layers $layers ;;
	esac
	changed=$("$proctor" compare --force --format json "$tmp/cpu" "$tmp/$layers" | sed -n 's/^ *"answer_changed": *\([0-9.e-]*\),*$/\1/p')
	awk -v changed="$changed" 'BEGIN { exit !(changed != "" && changed <= 0.05) }' ||
		fail "--gpu-layers $layers: ${changed:-unknown} of the letters changed"
	echo "--gpu-layers $layers: letters changed: $changed of all"
	head -n 1 "$tmp/$layers/journal.jsonl" | grep -o '"gpu_layers":[0-9]*,"devices":\[[^]]*\]' || fail "no device in the header of $layers"
	head -n 1 "$tmp/$layers/journal.jsonl" | grep -o '"gpus":\["Vulkan0 llvmpipe[^]]*\]' || fail "no GPU in the machine of $layers"
done

echo "-- refusals"
refused 2 'no backend of ggml with a device is in' run --gpu-layers all
PROCTOR_GGML_BACKENDS="$tmp/none" refused 2 'there is no such folder' run --gpu-layers all
PROCTOR_GGML_BACKENDS="$libraries" refused 2 'no GPU "CUDA0": there are Vulkan0' run --gpu-layers all --device CUDA0
cp -r "$libraries" "$tmp/older"
sed -i '1s/ v[^ ]*$/ v0.17.3/' "$tmp/older/ggml.sha256"
PROCTOR_GGML_BACKENDS="$tmp/older" refused 2 'is of Ollama v0.17.3' run --gpu-layers all
cp -r "$libraries" "$tmp/cut"
truncate -s -4096 "$tmp/cut/libggml-vulkan.so"
PROCTOR_GGML_BACKENDS="$tmp/cut" refused 2 'is not the file that' run --gpu-layers all
cp -r "$libraries" "$tmp/unnamed"
rm "$tmp/unnamed/ggml.sha256"
PROCTOR_GGML_BACKENDS="$tmp/unnamed" refused 2 'its version is unknown' run --gpu-layers all
refused 2 'it finds no GPU, or no driver for one' \
	env -u GGML_VK_VISIBLE_DEVICES PROCTOR_GGML_BACKENDS="$libraries" "$proctor" run --gpu-layers all

echo "-- doctor"
PROCTOR_GGML_BACKENDS=$libraries "$proctor" doctor | tee "$tmp/doctor" | grep '^ *GPU'
grep -q '^ *GPU  *Vulkan0 llvmpipe' "$tmp/doctor" || fail "doctor does not list the device"
bin/proctor doctor | grep -q "^ *GPU backend  *$libraries/libggml-vulkan.so" || fail "doctor does not find bin/lib"
"$proctor" doctor | grep '^ *GPUs .*none' || fail "doctor does not say that there is none"
