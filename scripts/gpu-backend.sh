#!/usr/bin/env bash
# usage: gpu-backend.sh vulkan|cuda|rocm
# Builds ggml's backend for a kind of GPU with the toolkit that is installed, from a copy of the module that go.mod names, and
# puts it where proctor looks: bin/lib/KIND, beside bin/proctor. It is compiled once a version and toolkit and kept in the user's
# cache folder. What the toolkit lacks is named before anything is compiled. Beside the libraries lies ggml.sha256: which
# version they are of, and their checksums; proctor loads nothing else.
set -euo pipefail
fail() { echo "gpu-backend: $*" >&2; exit 1; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=${1:-}
case "$kind $#" in
"vulkan 1" | "cuda 1") target=ggml-$kind ;;
"rocm 1") target=ggml-hip ;;
*) sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

missing=
need() { missing="$missing${missing:+, }$1"; }           # what is missing, and what brings it
tool() { command -v "$1" >/dev/null || need "$1 ($2)"; } # a program
header() { echo "#include <$1>" | ${CXX:-g++} ${3:+-I"$3"} -fsyntax-only -x c++ - 2>/dev/null || need "$1 ($2)"; }

tool cmake "apt-get install cmake"
tool ninja "apt-get install ninja-build"
tool "${CXX:-g++}" "apt-get install g++"
case $kind in
vulkan)
	tool glslc "apt-get install glslc, or the Vulkan SDK"
	header vulkan/vulkan.hpp "apt-get install libvulkan-dev, or the Vulkan SDK" "${VULKAN_SDK:+$VULKAN_SDK/include}"
	header spirv/unified1/spirv.hpp "apt-get install spirv-headers, or the Vulkan SDK" "${VULKAN_SDK:+$VULKAN_SDK/include}"
	options=(-DCMAKE_CUDA_COMPILER= -DCMAKE_HIP_COMPILER=)
	toolkit() { glslc --version; ldconfig -p | grep libvulkan.so; echo '#include <vulkan/vulkan.h>' | ${CXX:-g++} -E -x c++ - | cksum; }
	;;
cuda)
	nvcc=${CUDACXX:-$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")}
	if [ -x "$nvcc" ]; then
		cuda=$(dirname "$(dirname "$(realpath "$nvcc")")")
		[ -n "$(find "$cuda" /usr/include -name cublas_v2.h -print -quit 2>/dev/null)" ] ||
			need "cublas_v2.h (the CUDA toolkit's libcublas-dev)"
	else
		need "nvcc (the CUDA toolkit, 11.8 or later; CUDACXX names it elsewhere)"
	fi
	options=(-DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_HIP_COMPILER= -DCMAKE_DISABLE_FIND_PACKAGE_Vulkan=ON)
	toolkit() { "$nvcc" --version; nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; }
	;;
rocm)
	rocm=${ROCM_PATH:-/opt/rocm}
	[ -d "$rocm" ] || rocm=/usr
	[ -x "$rocm/bin/hipcc" ] || need "hipcc (ROCm 6.1 or later; ROCM_PATH names it elsewhere)"
	for library in hipblas rocblas; do
		[ -n "$(find "$rocm/" -name "$library-config.cmake" -print -quit 2>/dev/null)" ] || need "$library (ROCm's $library-dev)"
	done
	options=(-DCMAKE_CUDA_COMPILER= -DCMAKE_HIP_PLATFORM=amd -DCMAKE_DISABLE_FIND_PACKAGE_Vulkan=ON -DCMAKE_PREFIX_PATH="$rocm")
	[ -z "${AMDGPU_TARGETS:-}" ] || options+=(-DAMDGPU_TARGETS="$AMDGPU_TARGETS")
	toolkit() { "$rocm/bin/hipcc" --version; echo "${AMDGPU_TARGETS:-}"; }
	;;
esac
[ -z "$missing" ] || fail "make gpu-$kind needs what is missing here: $missing"

# Debian 12's Vulkan toolkit is older than ggml-vulkan, and the module lacks some of its files.
mend_vulkan() {
	local source=$1/ml/backend/ggml/ggml/src/ggml-vulkan
	# By these CMake asks glslc which extensions it knows; without them it believes that glslc knows all.
	local tests=$source/vulkan-shaders/feature-tests
	if [ ! -d "$tests" ]; then
		mkdir "$tests"
		feature() { printf '#version 460\n#extension %s : require\nvoid main() {}\n' "$2" >"$tests/$1.comp"; }
		feature coopmat GL_KHR_cooperative_matrix
		feature coopmat2 GL_NV_cooperative_matrix2
		feature integer_dot GL_EXT_integer_dot_product
		feature bfloat16 GL_EXT_bfloat16
	fi
	# Headers before 1.3.275 do not know settings of layers, which only a debugging aid uses.
	if ! printf '#include <vulkan/vulkan.hpp>\nvk::LayerSettingsCreateInfoEXT known;\n' |
		${CXX:-g++} ${VULKAN_SDK:+-I"$VULKAN_SDK/include"} -fsyntax-only -x c++ - 2>/dev/null; then
		sed -i -e '/VkBool32 enable_best_practice = /,/vk::LayerSettingsCreateInfoEXT layer_setting_info/d' \
			-e 's/, extensions, &layer_setting_info)/, extensions)/' "$source/ggml-vulkan.cpp"
	fi
}

module=$(go list -m -f '{{.Dir}}' github.com/ollama/ollama)
version=$(go list -m -f '{{.Version}}' github.com/ollama/ollama)
recipe=1 # raised with every change of what is built
key=$( (toolkit; ${CXX:-g++} --version; echo $recipe) | cksum | cut -d ' ' -f 1)
built=${XDG_CACHE_HOME:-$HOME/.cache}/proctor/ggml-$kind-$version-$key
if [ ! -f "$built/ggml.sha256" ]; then
	echo "gpu-backend: compiling ggml's $kind backend of Ollama $version, some minutes" >&2
	mkdir -p "$(dirname "$built")"
	part=$(mktemp -d "$built.part.XXXXXX")
	trap 'rm -rf "$part"' EXIT
	mkdir -p "$part/copy/ml/backend" "$part/lib"
	cp "$module/CMakeLists.txt" "$part/copy/"
	cp -r "$module/ml/backend/ggml" "$part/copy/ml/backend/"
	chmod -R u+w "$part/copy"
	[ $kind != vulkan ] || mend_vulkan "$part/copy"
	log=$part/log
	(
		unset CGO_CFLAGS CGO_CXXFLAGS CGO_CPPFLAGS
		cmake -S "$part/copy" -B "$part/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
			-DCMAKE_INSTALL_RPATH='$ORIGIN' "${options[@]}" && ninja -C "$part/build" "$target"
	) >"$log" 2>&1 || {
		mv "$log" "$built.log"
		fail "it does not compile: $(grep -m 1 -iE 'error|failed' "$built.log" || tail -n 1 "$built.log"); the rest is in $built.log"
	}
	cp -P "$part"/build/lib/ollama/libggml-base.so* "$part"/build/lib/ollama/lib$target.so* "$part/lib/"
	strip --strip-unneeded "$part"/lib/*.so
	(
		cd "$part/lib"
		echo "# ggml of github.com/ollama/ollama $version"
		find . -type f -name '*.so*' -printf '%f\n' | sort | xargs sha256sum
	) >"$part/ggml.sha256"
	mv "$part/ggml.sha256" "$part/lib/"
	rm -rf "$built"
	mv "$part/lib" "$built"
fi
mkdir -p bin/lib
rm -rf "bin/lib/$kind"
cp -RP "$built" "bin/lib/$kind"
echo "bin/lib/$kind: $(ls "bin/lib/$kind" | paste -sd ' ')"
