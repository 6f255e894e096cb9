#include "kernels.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cpu.h"
#include "ggml-cpu.h"
#include "ggml-impl.h"
#include "level.h"
#include "pages.h"
#include "prefix_groups.h"
#include "prompts.h"
#include "traits.h"

// ggml lets a buffer type bring operations along. Ours holds weights that are packed, and has attention and other operations
// besides, which need no buffer of their own.

namespace {

const kernels::level *level; // that computes, once it is installed
std::atomic<bool> packing{false};

ggml_backend_buffer_type_t buffer_type();

bool is_ours(const ggml_tensor *t) { return t->buffer != nullptr && t->buffer->buft == buffer_type(); }

// What multiplies a matrix that lies in our buffer; nullptr where nothing does: then it is not packed, and ggml's.
const kernels::mul_mat *mul_mat_of(const ggml_tensor *weights) { return (const kernels::mul_mat *) weights->extra; }

thread_local bool asks_ggml = false; // for the size of its own work

// Returns the bytes that ggml's own computation of an operation needs.
size_t ggml_work_size(int threads, const ggml_tensor *op) {
	ggml_tensor *node = const_cast<ggml_tensor *>(op);
	ggml_cgraph graph = {};
	graph.nodes = &node;
	graph.n_nodes = 1;
	asks_ggml = true;
	const size_t size = ggml_graph_plan(&graph, threads, nullptr).work_size;
	asks_ggml = false;
	return size;
}

bool multiplies(const ggml_tensor *op) { return op->op == GGML_OP_MUL_MAT || op->op == GGML_OP_MUL_MAT_ID; }

struct multiplication : ggml::cpu::tensor_traits {
	bool work_size(int threads, const ggml_tensor *op, size_t &size) override {
		size = mul_mat_of(op->src[0])->work_size(threads, op);
		for (const kernels::level *l = kernels::levels(); l->name != nullptr; l++) { // whose tokens these are is known only later
			const bool may = l->prompts && kernels::lacking(*l, 0) == nullptr;
			if (const kernels::mul_mat *of_prompts = may ? l->mul_mat_for(op->src[0]) : nullptr) {
				size = std::max(size, of_prompts->work_size(threads, op));
			}
		}
		return true;
	}
	bool compute_forward(ggml_compute_params *params, ggml_tensor *op) override {
		const kernels::level *prompts = kernels::prompt_level_of(params->threadpool);
		const kernels::mul_mat *of_prompts = prompts == nullptr ? nullptr : prompts->mul_mat_for(op->src[0]);
		(of_prompts == nullptr ? mul_mat_of(op->src[0]) : of_prompts)->compute(params, op);
		return true;
	}
};

struct attention : ggml::cpu::tensor_traits {
	// Whose attention it is, ours or ggml's, is known only when it is computed.
	bool work_size(int threads, const ggml_tensor *op, size_t &size) override {
		size = std::max(level->attention()->work_size(threads, op), ggml_work_size(threads, op));
		return true;
	}
	bool compute_forward(ggml_compute_params *params, ggml_tensor *op) override {
		const kernels::prefix_groups *groups = kernels::prefix_groups_of(params->threadpool);
		if (groups != nullptr) {
			level->attention()->compute(params, op, *groups);
		}
		return groups != nullptr;
	}
};

// An operation that needs no memory of its own.
struct others : ggml::cpu::tensor_traits {
	bool work_size(int, const ggml_tensor *, size_t &) override { return false; } // ggml's
	bool compute_forward(ggml_compute_params *params, ggml_tensor *op) override {
		const bool ours = kernels::prefix_groups_of(params->threadpool) != nullptr;
		if (ours) {
			level->operation_for(op)(params, op);
		}
		return ours;
	}
};

struct operations : ggml::cpu::extra_buffer_type {
	// A model that is loaded asks for weights that have no place yet, and so are not ours.
	bool supports_op(ggml_backend_dev_t, const ggml_tensor *op) override {
		return multiplies(op) && is_ours(op->src[0]) && (packing || mul_mat_of(op->src[0]) != nullptr) &&
			level->mul_mat_for(op->src[0]) != nullptr && op->src[1]->type == GGML_TYPE_F32 &&
			(op->src[1]->buffer == nullptr || ggml_backend_buft_is_host(op->src[1]->buffer->buft));
	}
	ggml::cpu::tensor_traits *get_tensor_traits(const ggml_tensor *op) override {
		static multiplication multiply;
		static attention attend;
		static others compute;
		if (multiplies(op) && is_ours(op->src[0]) && mul_mat_of(op->src[0]) != nullptr) {
			return &multiply;
		}
		if (op->op == GGML_OP_FLASH_ATTN_EXT && !asks_ggml && level->attention()->takes(op)) {
			return &attend;
		}
		if (level->operation_for(op) != nullptr) {
			return &compute;
		}
		return nullptr;
	}
};

ggml_status init_tensor(ggml_backend_buffer_t, ggml_tensor *tensor) {
	tensor->extra = (void *) level->mul_mat_for(tensor);
	return GGML_STATUS_SUCCESS;
}

void set_tensor(ggml_backend_buffer_t, ggml_tensor *tensor, const void *data, size_t offset, size_t size) {
	GGML_ASSERT(offset == 0 && size == ggml_nbytes(tensor));
	if (mul_mat_of(tensor) == nullptr) {
		memcpy(tensor->data, data, size);
		return;
	}
	mul_mat_of(tensor)->pack(tensor, tensor->data, data);
}

size_t get_alloc_size(ggml_backend_buffer_type_t, const ggml_tensor *tensor) {
	const kernels::mul_mat *multiplies = level->mul_mat_for(tensor);
	return multiplies == nullptr ? ggml_nbytes(tensor) : multiplies->packed_size(tensor);
}

ggml_backend_buffer_t alloc_buffer(ggml_backend_buffer_type_t type, size_t size) {
	ggml_backend_buffer_t buffer = ggml_backend_buft_alloc_buffer(ggml_backend_cpu_buffer_type(), size);
	if (buffer != nullptr) {
		buffer->buft = type;
		buffer->iface.init_tensor = init_tensor;
		buffer->iface.set_tensor = set_tensor;
		buffer->iface.get_tensor = nullptr;
		buffer->iface.cpy_tensor = nullptr;
	}
	return buffer;
}

ggml_backend_buffer_type_t buffer_type() {
	static ggml_backend_buffer_type type = {
		{
			[](ggml_backend_buffer_type_t) { return "CPU_PROCTOR"; }, alloc_buffer,
			[](ggml_backend_buffer_type_t) { return (size_t) 64; },
			nullptr, // as large as they are
			get_alloc_size,
			nullptr, // not to be read by others
		},
		ggml_backend_reg_dev_get(ggml_backend_cpu_reg(), 0),
		new operations(),
	};
	return &type;
}

} // namespace

#ifdef PROCTOR_CPU_FEATURES
const uint64_t proctor_cpu_compiled_cxx = PROCTOR_CPU_COMPILED;
#endif

const char *proctor_kernels_level(int32_t i) { return kernels::levels()[i].name; }

bool proctor_kernels_level_prompts(int32_t i) { return kernels::levels()[i].prompts; }

const char *proctor_kernels_level_lacks(int32_t i, int32_t n) { return kernels::lacking(kernels::levels()[i], n); }

void kernels::install(const kernels::level &computes) {
	if (::level == nullptr) { // the first type that takes a tensor gets it
		auto &types = ggml_backend_cpu_get_extra_buffer_types();
		types.insert(types.begin(), buffer_type());
		lay_out_buffers();
	}
	::level = &computes;
}

void proctor_kernels_install(int32_t i) { kernels::install(kernels::levels()[i]); }

bool proctor_kernels_packs(int32_t type, int64_t columns, int64_t rows) {
	ggml_tensor weights = {};
	weights.type = (ggml_type) type;
	weights.ne[0] = columns;
	weights.ne[1] = rows;
	weights.ne[2] = weights.ne[3] = 1;
	weights.nb[0] = ggml_type_size(weights.type);
	weights.nb[1] = ggml_row_size(weights.type, columns);
	weights.nb[2] = weights.nb[3] = rows * weights.nb[1];
	return level != nullptr && level->mul_mat_for(&weights) != nullptr;
}

void proctor_kernels_pack(bool on) { packing = on; }
