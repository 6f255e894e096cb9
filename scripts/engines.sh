#!/usr/bin/env bash
# usage: engines.sh [all|oldest|newest|RELEASE…|arm64|fetch]    without a word, the oldest release and the newest
# Runs the tests that need a published llama.cpp, with each release in processes of its own, since a process loads one: the backend
# contract, small models of every architecture, the control model's answers, proctor's kernels at 1, 8 and 24 slots, --direct, score,
# a killed run that goes on, sampling, LoRA adapters, a sweep that quantises with an importance matrix, engine pull and bundle.
# The releases are stock builds that npm has as @node-llama-cpp/linux-x64, 7 to 11 MB each; build/engines keeps them.
# arm64: the newest release's build for it answers as the one for x86-64 does, in a proctor without cgo, run by qemu-user.
# fetch: has the newest release in build/engines and prints the folder, which needs no C compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "engines: $*" >&2; exit 1; }
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "engines: skipped: the packages are for linux/amd64"; exit 0; }

# The package's version, the release in it, and the package's SHA-256; the oldest first.
releases=(
	"3.14.5 b7347  a504a0e872271766572ea426fc94d1d230ce453af433522a2fe78d80e4aed944"
	"3.15.0 b7698  6bbe84c55b9d0c3ca27c613774434120006941b8a03e59206df484173ec28d13"
	"3.16.2 b8121  1af355c655ee313a3d17a5de295e2155145c3e9538baf1d8e78380974ff7f8b2"
	"3.17.1 b8179  1376a5ff4a8ca222eee9927152ecf6062080f0adbbe5408d5c78eac3e7b8c93d"
	"3.18.1 b8390  0b662aabf9794140ff71d2c34970662ac30f95cacaaa98e03b9967d21ea816d0"
	"3.19.0 b9842  3ac24ba0c88b388e99c20d772309f1c1cc6c4e184e10f755c917fea95d8f5c7f"
	"3.20.0 b10361 76dbb03706ff469dee148e835e22c536b76c7c2865ac8c26f90739dda58b2dd0"
	"3.21.1 v0.4.0 4b5b65a8b2611d8af94349b02d815c0f424a30a0a19aef2be5db25ecfef6730f"
	"3.22.1 v0.5.0 0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0"
)

# fetch SYSTEM VERSION SHA256 FOLDER: build/engines/FOLDER, checked, unless it is there.
fetch() {
	local folder=build/engines/$4 part package
	[ ! -d "$folder" ] || return 0
	command -v npm >/dev/null || fail "npm is missing, which fetches the releases: apt-get install npm"
	mkdir -p build/engines
	part=$(mktemp -d build/engines/part.XXXXXX)
	(cd "$part" && npm pack --silent "@node-llama-cpp/$1@$2" >/dev/null) || fail "npm cannot fetch version $2 for $1"
	package=$(echo "$part"/*.tgz)
	echo "$3  $package" | sha256sum --quiet -c - || fail "version $2 for $1 is not the package that is known by its SHA-256"
	tar -xzf "$package" -C "$part" --strip-components 3 "package/bins/$1"
	rm "$package"
	mv "$part" "$folder"
}

wanted() { # RELEASE ITS-NUMBER
	local name
	for name in all "$1" $([ "$2" -gt 0 ] || echo oldest) $([ $(($2 + 1)) -lt ${#releases[@]} ] || echo newest); do
		[[ " ${words:-oldest newest} " != *" $name "* ]] || return 0
	done
	return 1
}

# arm64 has both builds of the newest release answer, on one thread: emulated ones wait for each other. proot has qemu run the processes
# that proctor starts, too.
arm64() {
	local version release sum out libraries=/usr/aarch64-linux-gnu/lib
	for tool in qemu-aarch64 proot; do
		command -v $tool >/dev/null || fail "$tool is missing: install qemu-user and proot"
	done
	[ -e $libraries/libgomp.so.1 ] || fail "install libc6-arm64-cross, libstdc++6-arm64-cross and libgomp1-arm64-cross"
	read -r version release sum <<<"${releases[-1]}"
	fetch linux-x64 "$version" "$sum" "$version"
	fetch linux-arm64 "$version" 39c76b998e35ed2f236c01472fc79eda0fc558b1c8b535023c2d7ded8c327cc4 "$version-arm64"
	out=$(mktemp -d)
	trap 'rm -rf "$out"' RETURN
	ask() {
		local folder=$1
		shift
		"$@" run --engine "$PWD/build/engines/$folder" --direct --limit 14 --shots 0 --slots 1 --threads 1 --quiet \
			--out "$out/$folder" >"$out/report"
		sed -n 's/.*"kind":"item","id":"\([^"]*\)".*"text":\("[^"]*"\).*/\1 \2/p' "$out/$folder/journal.jsonl" | sort >"$out/$folder.txt"
	}
	for arch in amd64 arm64; do
		CGO_ENABLED=0 GOARCH=$arch go build -o "$out/proctor-$arch" ./cmd/proctor
	done
	ask "$version" "$out/proctor-amd64"
	ask "$version-arm64" proot -b $libraries:/lib/aarch64-linux-gnu -b $libraries/ld-linux-aarch64.so.1:/lib/ld-linux-aarch64.so.1 \
		-q 'qemu-aarch64 -cpu neoverse-n1' "$out/proctor-arm64"
	[ "$(wc -l <"$out/$version.txt")" = 14 ] || fail "no letters from $release"
	diff "$out/$version.txt" "$out/$version-arm64.txt" || fail "$release for arm64 picks other letters"
	echo "== $release for arm64 picks the same 14 letters"
}

trap 'rm -rf build/engines/part.*' EXIT
words="$*" ran=0
if [ "$words" = fetch ]; then
	read -r version release sum <<<"${releases[-1]}"
	fetch linux-x64 "$version" "$sum" "$version"
	echo "build/engines/$version"
	exit
fi
CGO_CFLAGS=$(make -s cflags)
export CGO_CFLAGS CGO_CXXFLAGS=$CGO_CFLAGS CGO_CPPFLAGS=-DGGML_USE_CPU_REPACK
make -s headers
[ "$words" != arm64 ] || { arm64; exit; }
for i in "${!releases[@]}"; do
	read -r version release sum <<<"${releases[i]}"
	wanted "$release" "$i" || continue
	ran=$((ran + 1))
	fetch linux-x64 "$version" "$sum" "$version"
	echo "== $release"
	PROCTOR_TEST_ENGINE=$PWD/build/engines/$version go test -count 1 -timeout 30m ${VERBOSE:+-v} -run LoadedEngine \
		./backends/llamacpp ./backends/registry ./cmd/proctor
done
[ $ran -gt 0 ] || fail "no such release: all, or $(printf '%s\n' "${releases[@]}" | awk '{ printf "%s ", $2 }')"
