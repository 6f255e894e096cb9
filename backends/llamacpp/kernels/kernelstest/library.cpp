#include "library.h"

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "../library.h"
#include "traits.h"

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

// A buffer type with functions that were added between the others, as llama.cpp has them since October 2026.
struct larger_type {
	decltype(ggml_backend_buffer_type_i::get_name) get_name;
	decltype(ggml_backend_buffer_type_i::alloc_buffer) alloc_buffer;
	void *alloc_buffer_n;
	decltype(ggml_backend_buffer_type_i::get_alignment) get_alignment;
	decltype(ggml_backend_buffer_type_i::get_max_size) get_max_size;
	decltype(ggml_backend_buffer_type_i::get_alloc_size) get_alloc_size;
	void *get_alloc_size_n;
	decltype(ggml_backend_buffer_type_i::is_host) is_host;
	ggml_backend_dev_t device;
	void *context;
};

larger_type *larger(ggml_backend_buffer_type_t type) { return (larger_type *) type; }

larger_type *larger_cpu_type() {
	static const ggml_backend_buffer_type_i &is = ggml_backend_cpu_buffer_type()->iface;
	static larger_type cpu = {
		is.get_name, is.alloc_buffer, nullptr, is.get_alignment, nullptr, nullptr, nullptr, is.is_host, nullptr, nullptr};
	return &cpu;
}

std::vector<ggml_backend_buffer_type_t> &larger_types() {
	static std::vector<ggml_backend_buffer_type_t> added;
	return added;
}

// Has ggml ask the one larger type that was added.
template <class call> auto with_larger_types(call compute) {
	ggml_backend_buffer_type type = {};
	type.context = larger(larger_types().at(0))->context;
	auto &own = ggml_backend_cpu_get_extra_buffer_types();
	own.insert(own.begin(), &type);
	auto result = compute();
	own.erase(own.begin());
	return result;
}

ggml_cplan plan_with_larger(const ggml_cgraph *graph, int threads, ggml_threadpool *pool) {
	return with_larger_types([=] { return ggml_graph_plan(graph, threads, pool); });
}

ggml_status compute_with_larger(ggml_cgraph *graph, ggml_cplan *plan) {
	return with_larger_types([=] { return ggml_graph_compute(graph, plan); });
}

using type_t = ggml_backend_buffer_type_t;

const std::map<std::string, void *> larger_buffer_types = {
	{"ggml_backend_buft_name", (void *) +[](type_t t) { return larger(t)->get_name(t); }},
	{"ggml_backend_buft_alloc_buffer", (void *) +[](type_t t, size_t size) { return larger(t)->alloc_buffer(t, size); }},
	{"ggml_backend_buft_get_alignment", (void *) +[](type_t t) { return larger(t)->get_alignment(t); }},
	{"ggml_backend_buft_get_max_size", (void *) +[](type_t t) { return larger(t)->get_max_size(t); }},
	{"ggml_backend_buft_get_alloc_size",
		(void *) +[](type_t t, const ggml_tensor *tensor) { return larger(t)->get_alloc_size(t, tensor); }},
	{"ggml_backend_buft_is_host", (void *) +[](type_t t) { return larger(t)->is_host(t); }},
	{"ggml_backend_buft_get_device", (void *) +[](type_t t) { return larger(t)->device; }},
	{"ggml_backend_cpu_buffer_type", (void *) larger_cpu_type},
	{"_Z39ggml_backend_cpu_get_extra_buffer_typesv", (void *) larger_types},
	{"ggml_graph_plan", (void *) plan_with_larger},
	{"ggml_graph_compute", (void *) compute_with_larger},
};

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
		std::map<std::string, void *> others;
		const bool larger = strcmp(changed, "larger buffer types") == 0,
				   needed = strcmp(changed, "an added function of buffers") == 0;
		larger_cpu_type()->alloc_buffer_n = needed ? larger_cpu_type() : nullptr;
		if (larger || needed) {
			others = larger_buffer_types;
		} else if (*changed != 0) {
			others[changed] = changes.at(changed);
		}
		const kernels::ggml_library ggml([&others](const char *name) {
			auto other = others.find(name);
			return other == others.end() ? kernels::builtin_symbol(name) : other->second;
		});
		said = "takes";
		for (const char *name :
			{"MUL_MAT", "MUL_MAT_ID", "FLASH_ATTN_EXT", "SET_ROWS", "ROPE", "RMS_NORM", "NORM", "SOFT_MAX", "GLU", "UNARY"}) {
			said += ggml.takes(name) ? std::string(" ") + name : "";
		}
	} catch (const std::exception &e) {
		said = e.what();
	}
	return said.c_str();
}
