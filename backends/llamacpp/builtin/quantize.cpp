#include "quantize.h"

#include "../src/llama-impl.h" // beside the folder of llama.h

#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
// Written in Go.
bool proctorQuantising(char *text, uintptr_t progress);
}

struct proctor_importance {
	std::unordered_map<std::string, std::vector<float>> tensors;
};

proctor_importance *proctor_importance_new(void) { return new proctor_importance; }

void proctor_importance_add(proctor_importance *all, const char *tensor, const float *values, size_t n) {
	all->tensors[tensor].assign(values, values + n);
}

void proctor_importance_free(proctor_importance *all) { delete all; }

// What this thread's llama_model_quantize tells of its progress; it has no callback but the log, which it writes to from the thread
// that called it, while no thread of its own runs.
static thread_local uintptr_t quantising = 0;

void proctor_quantize_logged(const char *text) {
	if (quantising != 0 && text[0] == '[' && !proctorQuantising(const_cast<char *>(text), quantising)) {
		throw std::runtime_error("stopped");
	}
}

uint32_t proctor_quantize(const char *from, const char *to, llama_ftype type, int32_t threads, bool requantise,
	proctor_importance *importance, uintptr_t progress) {
	llama_model_quantize_params params = llama_model_quantize_default_params();
	params.ftype = type;
	params.nthread = threads;
	params.allow_requantize = requantise;
	params.imatrix = importance == nullptr ? nullptr : &importance->tensors;
	quantising = progress;
	uint32_t result = 1;
	try {
		result = llama_model_quantize(from, to, &params);
	} catch (const std::exception &e) {
		LLAMA_LOG_ERROR("%s\n", e.what());
	}
	quantising = 0;
	return result;
}
