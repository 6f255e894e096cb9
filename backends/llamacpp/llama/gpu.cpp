#include "engine.h" // says how the headers come here, where they are not

#include "gpu.h"

#include <dlfcn.h>
#include <exception>

extern "C" void proctorLog(int level, char *text, void *unused); // written in Go

static void log_line(enum ggml_log_level level, const char *text, void *) {
	proctorLog(level, const_cast<char *>(text), nullptr);
}

const char *proctor_library_load(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == nullptr) {
		return dlerror();
	}
	// Asked of the library and what it needs, so this finds its ggml and never ours.
	if (void *set = dlsym(library, "ggml_log_set")) {
		((void (*)(ggml_log_callback, void *)) set)(log_line, nullptr);
	}
	return nullptr;
}

ggml_backend_reg_t proctor_backend_load(const char *path) {
	try {
		return ggml_backend_load(path);
	} catch (const std::exception &e) {
		proctorLog(GGML_LOG_LEVEL_ERROR, const_cast<char *>(e.what()), nullptr);
		return nullptr;
	}
}
