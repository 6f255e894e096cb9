// The kernels in a program that is not proctor: ggml loads what GGML_BACKEND_PATH names after its own backends, and calls this.
//
//   GGML_BACKEND_PATH=lib/libproctor-kernels.so llama-server -m model.gguf
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <string>
#include <vector>

#include "../attached.h"
#include "../kernels.h"
#include "ggml-backend-impl.h"

namespace {

// The best level that this CPU can compute with; -1 for none.
int32_t best_level() {
	for (int32_t i = 0; proctor_kernels_level(i) != nullptr; i++) {
		if (proctor_kernels_level_lacks(i, 0) == nullptr) {
			return i;
		}
	}
	return -1;
}

// The program's ggml: its backend for CPUs, a library that has been loaded.
struct {
	void *threads; // a function of it
	ggml_backend_reg *(*registry)();
} cpu;

bool find_cpu() {
	std::vector<std::string> libraries;
	dl_iterate_phdr(
		[](dl_phdr_info *library, size_t, void *all) {
			((std::vector<std::string> *) all)->push_back(library->dlpi_name);
			return 0;
		},
		&libraries);
	for (const std::string &name : libraries) {
		void *handle = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_NOW | RTLD_NOLOAD);
		if (handle == nullptr) {
			continue;
		}
		cpu.threads = dlsym(handle, "ggml_threadpool_new");
		cpu.registry = (ggml_backend_reg * (*) ()) dlsym(handle, "ggml_backend_cpu_reg");
		if (cpu.threads != nullptr && cpu.registry != nullptr) {
			return true;
		}
	}
	return false;
}

// A backend without devices: what it brings is the CPU's.
const ggml_backend_reg_i functions = {
	[](ggml_backend_reg_t) { return "proctor's kernels"; },
	[](ggml_backend_reg_t) { return (size_t) 0; },
	[](ggml_backend_reg_t, size_t) { return (ggml_backend_dev_t) nullptr; },
	[](ggml_backend_reg_t, const char *) { return (void *) nullptr; },
};

ggml_backend_reg *refuse(const char *because) {
	fprintf(stderr, "proctor's kernels: not used, because %s\n", because);
	return nullptr;
}

} // namespace

extern "C" ggml_backend_reg *ggml_backend_init() {
	const int32_t level = best_level();
	if (level < 0) {
		return refuse("they have nothing for this CPU");
	}
	if (!find_cpu()) {
		return refuse("ggml's backend for CPUs is not loaded, or no shared library");
	}
	proctor_kernels_install(level);
	proctor_kernels_measure();
	if (const char *refused = proctor_kernels_add((uintptr_t) cpu.threads)) {
		return refuse(refused);
	}
	proctor_kernels_pack(true);
	kernels::attach_unnamed();
	fprintf(stderr, "proctor's kernels: %s\n", proctor_kernels_level(level));
	static ggml_backend_reg registry = {cpu.registry()->api_version, functions, nullptr};
	return &registry;
}
