#include "backends.h"

static thread_local std::vector<ggml_backend_t> *kept = nullptr;

#ifdef __linux__ // whose linkers know --wrap
// library.go has the linker send every call of ggml_backend_free to the first of these.
extern "C" void __wrap_ggml_backend_free(ggml_backend_t backend);
extern "C" void __real_ggml_backend_free(ggml_backend_t backend);

void __wrap_ggml_backend_free(ggml_backend_t backend) {
	if (kept != nullptr) {
		kept->push_back(backend);
	} else {
		__real_ggml_backend_free(backend);
	}
}
#endif

proctor_backends_kept::proctor_backends_kept() {
	kept = &freed;
}

proctor_backends_kept::~proctor_backends_kept() {
	kept = nullptr;
	for (ggml_backend_t backend : freed) {
		ggml_backend_free(backend);
	}
}
