#include "kernels.h"

#include <atomic>

#include "flash_attn.h"
#include "cpu.h"
#include "ggml-cpu.h"
#include "mul_mat.h"
#include "traits.h"

#if defined(__x86_64__)
const uint64_t proctor_cpu_compiled_cxx = PROCTOR_CPU_COMPILED;
#endif

#ifdef PROCTOR_KERNELS

// ggml lets a buffer type bring operations along. Ours holds weights that are packed, and has attention besides, which
// needs no buffer of its own.

namespace {

std::atomic<bool> packing{false};

ggml_backend_buffer_type_t buffer_type();

struct multiplication : ggml::cpu::tensor_traits {
	static const kernels::matmul *way(const ggml_tensor *op) { return (const kernels::matmul *) op->src[0]->extra; }
	bool work_size(int, const ggml_tensor *op, size_t &size) override {
		size = way(op)->work_size(op);
		return true;
	}
	bool compute_forward(ggml_compute_params *params, ggml_tensor *op) override {
		way(op)->compute(params, op);
		return true;
	}
};

struct attention : ggml::cpu::tensor_traits {
	bool work_size(int threads, const ggml_tensor *op, size_t &size) override {
		size = kernels::attention_work_size(threads, op);
		return true;
	}
	bool compute_forward(ggml_compute_params *params, ggml_tensor *op) override {
		return kernels::attention(params, op);
	}
};

struct operations : ggml::cpu::extra_buffer_type {
	// A model that is loaded asks for weights that have no place yet, and so are not ours.
	bool supports_op(ggml_backend_dev_t, const ggml_tensor *op) override {
		return (packing || op->src[0]->extra != nullptr) && op->op == GGML_OP_MUL_MAT && op->src[0]->buffer != nullptr && op->src[0]->buffer->buft == buffer_type() &&
			kernels::matmul_for(op->src[0]) != nullptr && op->src[1]->type == GGML_TYPE_F32 &&
			(op->src[1]->buffer == nullptr || ggml_backend_buft_is_host(op->src[1]->buffer->buft));
	}
	ggml::cpu::tensor_traits *get_tensor_traits(const ggml_tensor *op) override {
		static multiplication multiply;
		static attention attend;
		if (op->op == GGML_OP_MUL_MAT && op->src[0]->buffer != nullptr && op->src[0]->buffer->buft == buffer_type()) {
			return &multiply;
		}
		if (op->op == GGML_OP_FLASH_ATTN_EXT && kernels::attention_takes(op)) {
			return &attend;
		}
		return nullptr;
	}
};

ggml_status init_tensor(ggml_backend_buffer_t, ggml_tensor *tensor) {
	tensor->extra = (void *) kernels::matmul_for(tensor);
	return GGML_STATUS_SUCCESS;
}

void set_tensor(ggml_backend_buffer_t, ggml_tensor *tensor, const void *data, size_t offset, size_t size) {
	GGML_ASSERT(offset == 0 && size == ggml_nbytes(tensor));
	((const kernels::matmul *) tensor->extra)->pack(tensor, tensor->data, data);
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
			[](ggml_backend_buffer_type_t) { return "CPU_PROCTOR"; },
			alloc_buffer,
			[](ggml_backend_buffer_type_t) { return (size_t) 64; },
			nullptr, // as large as they are
			nullptr,
			nullptr, // not to be read by others
		},
		ggml_backend_reg_dev_get(ggml_backend_cpu_reg(), 0),
		new operations(),
	};
	return &type;
}

} // namespace

bool proctor_kernels_install(void) {
	// The first type that takes a tensor gets it.
	auto &types = ggml_backend_cpu_get_extra_buffer_types();
	types.insert(types.begin(), buffer_type());
	return true;
}

void proctor_kernels_pack(bool on) {
	packing = on;
}

#else

bool proctor_kernels_install(void) {
	return false;
}

void proctor_kernels_pack(bool) {
}

#endif
