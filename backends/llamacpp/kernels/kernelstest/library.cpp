#include "library.h"

#include <exception>
#include <map>
#include <string>

#include "../library.h"

namespace {

// What a ggml would say that has changed.
size_t larger_tensors() { return ggml_tensor_overhead() + 8; }

const char *other_types(ggml_type type) { return type == GGML_TYPE_Q4_K ? "q4_L" : ggml_type_name(type); }

ggml_tensor *other_views(ggml_context *context, ggml_tensor *a, int64_t n, size_t offset) {
	return ggml_view_1d(context, a, n, offset + 34);
}

ggml_tensor *other_turns(ggml_context *context, ggml_tensor *a, ggml_tensor *positions, ggml_tensor *factors, int size, int mode,
	int trained, float base, float scale, float extrapolation, float magnitude, float fast, float slow) {
	ggml_tensor *op =
		ggml_rope_ext(context, a, positions, factors, size, mode, trained, base, scale, extrapolation, magnitude, fast, slow);
	op->op_params[15] = 1;
	return op;
}

const char *other_operations(ggml_op op) { return op == GGML_OP_MUL_MAT_ID ? "MUL_MAT_BY" : ggml_op_name(op); }

size_t other_alignment(ggml_backend_buffer_type_t) { return 32; }

void no_set(ggml_tensor *, const void *, size_t, size_t) {}

int other_chunks(ggml_threadpool *threads, int n) { return ggml_threadpool_chunk_add(threads, n) + 1; }

const std::map<std::string, void *> changes = {
	{"ggml_tensor_overhead", (void *) larger_tensors},
	{"ggml_type_name", (void *) other_types},
	{"ggml_view_1d", (void *) other_views},
	{"ggml_rope_ext", (void *) other_turns},
	{"ggml_op_name", (void *) other_operations},
	{"ggml_backend_buft_get_alignment", (void *) other_alignment},
	{"ggml_backend_tensor_set", (void *) no_set},
	{"ggml_threadpool_chunk_add", (void *) other_chunks},
	{"ggml_barrier", nullptr},
};

} // namespace

const char *proctor_library_with(const char *changed) {
	static std::string said;
	try {
		const kernels::ggml_library ggml([changed](const char *name) {
			return strcmp(name, changed) == 0 ? changes.at(name) : kernels::builtin_symbol(name);
		});
		said = "takes";
		for (const char *name :
			{"MUL_MAT", "MUL_MAT_ID", "FLASH_ATTN_EXT", "ROPE", "RMS_NORM", "NORM", "SOFT_MAX", "GLU", "UNARY"}) {
			said += ggml.takes(name) ? std::string(" ") + name : "";
		}
	} catch (const std::exception &e) {
		said = e.what();
	}
	return said.c_str();
}
