// A ggml that the kernels compute for: the one that is compiled in, or one that the program has loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "compute_params.h"
#include "ggml-backend-impl.h"
#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"
#include "ggml.h"

namespace kernels {

// The functions of ggml that are called, without their prefix. They have taken the same since the oldest release that is known.
// clang-format off
#define PROCTOR_GGML_FUNCTIONS(X) \
	X(init) X(free) X(tensor_overhead) X(graph_overhead_custom) X(new_tensor) X(view_1d) X(set_name) X(mul_mat) X(mul_mat_id) X(set_rows) \
	X(flash_attn_ext) X(rope_ext) X(rope_multi) X(rms_norm) X(norm) X(soft_max_ext) X(swiglu_split) X(swiglu_oai) X(silu) \
	X(sigmoid) X(tanh) X(exp) X(softplus) X(type_name) X(op_name) X(unary_op_name) X(glu_op_name) X(new_graph_custom) \
	X(build_forward_expand) \
	X(graph_add_node) X(graph_compute) X(threadpool_new) X(threadpool_free) X(barrier) X(threadpool_chunk_set) \
	X(threadpool_chunk_add) X(backend_buft_name) X(backend_buft_alloc_buffer) X(backend_buft_get_alignment) \
	X(backend_buft_get_alloc_size) X(backend_buft_is_host) X(backend_buft_get_device) \
	X(backend_buffer_get_base) X(backend_buffer_get_type) X(backend_buffer_init_tensor) X(backend_buffer_free) X(backend_buffer_clear) \
	X(backend_buffer_copy_tensor) X(backend_tensor_set) X(backend_tensor_get) X(backend_cpu_buffer_type)
// clang-format on

// Words of a structure whose layout is ggml's own affair.
struct opaque {
	uint64_t words[160];
};

struct ggml_library {
	// Returns the address of a function by its whole name; nullptr where there is none.
	using symbols = std::function<void *(const char *name)>;

#define PROCTOR_GGML_FUNCTION(name) decltype(&ggml_##name) name;
	PROCTOR_GGML_FUNCTIONS(PROCTOR_GGML_FUNCTION)
#undef PROCTOR_GGML_FUNCTION
	// Structures by value, which may have become larger: the callee reads or writes as much as its own has.
	opaque (*threadpool_params_default)(int threads);
	opaque (*graph_plan)(const ggml_cgraph *graph, int threads, ggml_threadpool *pool);
	ggml_backend_buffer_t (*backend_buffer_init)(ggml_backend_buffer_type_t type, opaque functions, void *context, size_t size);
	std::vector<ggml_backend_buffer_type_t> &(*extra_buffer_types)();

	// Where this one has what the kernels set: words of a buffer type, and of a buffer. Releases add functions between them.
	struct {
		int get_name, alloc_buffer, get_alignment, get_alloc_size, device, context;
	} in_type;
	struct {
		int set_tensor, get_tensor, copy_tensor, clear, type;
	} in_buffer;

	// Finds the functions, and how this ggml lays out what the kernels read and write: by what its functions say of objects that were
	// made for that, and by what a computation is told. Throws a std::runtime_error that says what is otherwise than here.
	explicit ggml_library(const symbols &find);

	// Returns the functions of the ggml that is compiled in, whose layout nobody needs to find.
	static ggml_library here();

	// Returns the bytes that this ggml's own computation of an operation needs.
	size_t work_size(int threads, const ggml_tensor *op) const;
	static bool asks(); // whether this thread is in work_size

	class seen;

	// Says whether its operations of a name are computed, if not with all parameters.
	bool takes(const char *operation) const;

  private:
	bool builtin = false;
	// Our numbers by theirs, of the operations whose parameters lie as here; all others are nobody's.
	std::map<int, ggml_op> operations;
	std::map<int, int> unary_operations, gated_operations;

	ggml_library() = default;
	void bind(const symbols &find);
	void check_tensors() const;
	void find_operations();
	void find_in_type();
	void find_in_buffer();
	void check_computation();
};

// An operation as the compiled-in ggml has it, with our numbers; none where the kernels know no such operation.
class ggml_library::seen {
	ggml_tensor copy;
	const ggml_tensor *op;

  public:
	seen(const ggml_library &by, const ggml_tensor *op);
	seen(const seen &) = delete;
	seen &operator=(const seen &) = delete;
	ggml_tensor *get() const { return const_cast<ggml_tensor *>(op); }
};

// Finds functions of the ggml that is compiled in.
void *builtin_symbol(const char *name);

} // namespace kernels
