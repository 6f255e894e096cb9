#include "kernels.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "attached.h"
#include "cpu.h"
#include "level.h"
#include "library.h"
#include "multipliers.h"
#include "pages.h"
#include "traits.h"

// ggml lets a buffer type bring operations along. Ours holds weights that are packed, and has attention and other operations
// besides, which need no buffer of their own.

namespace {

const kernels::level *level; // that computes, once it is installed
std::atomic<bool> packing{false};

// Says whether keys or values that an operation reads are those of a quantised cache.
bool of_quantised_cache(const ggml_tensor *t) {
	return t != nullptr && ggml_is_quantized(t->type) && t->view_src != nullptr && strncmp(t->view_src->name, "cache_", 6) == 0;
}

bool multiplies(const ggml_tensor *op) { return op->op == GGML_OP_MUL_MAT || op->op == GGML_OP_MUL_MAT_ID; }

// What a library computes with the kernels.
class user {
	const kernels::ggml_library ggml;
	kernels::opaque type = {}; // a buffer type

	// What multiplies a matrix in our buffer; nullptr where nothing does: then it is not packed, and ggml's.
	const kernels::mul_mat *mul_mat_of(const ggml_tensor *weights) const {
		const bool ours = weights->buffer != nullptr && ggml.backend_buffer_get_type(weights->buffer) == buffer_type();
		return ours ? level->mul_mat_for(weights) : nullptr;
	}

	kernels::compute_params params_of(const ggml_compute_params *p, const kernels::attached_cache *cache) const {
		return {p->ith, p->nth, p->wdata, p->threadpool, &ggml, cache};
	}

	struct multiplication : ggml::cpu::tensor_traits {
		const user &by;
		explicit multiplication(const user &by) : by(by) {}
		bool work_size(int threads, const ggml_tensor *node, size_t &size) override {
			const kernels::ggml_library::seen seen(by.ggml, node);
			const ggml_tensor *op = seen.get();
			size = kernels::multiplier_of(op).mul_mat_for(op->src[0])->work_size(threads, op);
			return true;
		}
		bool compute_forward(ggml_compute_params *params, ggml_tensor *node) override {
			const kernels::ggml_library::seen seen(by.ggml, node);
			const kernels::compute_params thread = by.params_of(params, nullptr);
			ggml_tensor *op = seen.get();
			kernels::multiplier_of(op).mul_mat_for(op->src[0])->compute(&thread, op);
			return true;
		}
	};

	struct attention : ggml::cpu::tensor_traits {
		const user &by;
		explicit attention(const user &by) : by(by) {}
		// Whose attention it is, ours or ggml's, is known only when it is computed.
		bool work_size(int threads, const ggml_tensor *node, size_t &size) override {
			const kernels::ggml_library::seen seen(by.ggml, node);
			size = std::max(level->attention()->work_size(threads, seen.get()), by.ggml.work_size(threads, node));
			return true;
		}
		bool compute_forward(ggml_compute_params *params, ggml_tensor *node) override {
			const kernels::attached_cache *cache = kernels::attached_to(params->threadpool);
			if (cache != nullptr) {
				const kernels::ggml_library::seen seen(by.ggml, node);
				const kernels::compute_params thread = by.params_of(params, cache);
				level->attention()->compute(&thread, seen.get());
			}
			return cache != nullptr;
		}
	};

	// An operation that needs no memory of its own.
	struct others : ggml::cpu::tensor_traits {
		const user &by;
		explicit others(const user &by) : by(by) {}
		bool work_size(int, const ggml_tensor *, size_t &) override { return false; } // ggml's
		bool compute_forward(ggml_compute_params *params, ggml_tensor *node) override {
			const kernels::attached_cache *cache = kernels::attached_to(params->threadpool);
			if (cache != nullptr) {
				const kernels::ggml_library::seen seen(by.ggml, node);
				const kernels::compute_params thread = by.params_of(params, cache);
				if (seen.get()->op == GGML_OP_SET_ROWS && cache->rotates.any() && kernels::others_attend) {
					GGML_ABORT("proctor's kernels do not compute all attention of this model: its cache cannot be rotated");
				}
				level->operation_for(seen.get())(&thread, seen.get());
			}
			return cache != nullptr;
		}
	};

	struct operations : ggml::cpu::extra_buffer_type {
		const user &by;
		multiplication multiply{by};
		attention attend{by};
		others compute{by};
		explicit operations(const user &by) : by(by) {}

		// A model that is loaded asks for weights that have no data yet.
		bool supports_op(ggml_backend_dev_t, const ggml_tensor *node) override {
			const kernels::ggml_library::seen seen(by.ggml, node);
			const ggml_tensor *op = seen.get();
			return op != nullptr && multiplies(op) && (packing || op->src[0]->data != nullptr) &&
				by.mul_mat_of(op->src[0]) != nullptr && op->src[1]->type == GGML_TYPE_F32 &&
				(op->src[1]->buffer == nullptr ||
					by.ggml.backend_buft_is_host(by.ggml.backend_buffer_get_type(op->src[1]->buffer)));
		}
		ggml::cpu::tensor_traits *get_tensor_traits(const ggml_tensor *node) override {
			const kernels::ggml_library::seen seen(by.ggml, node);
			const ggml_tensor *op = seen.get();
			if (op == nullptr) {
				return nullptr;
			}
			if (multiplies(op) && by.mul_mat_of(op->src[0]) != nullptr) {
				return &multiply;
			}
			const bool attends = op->op == GGML_OP_FLASH_ATTN_EXT && !kernels::ggml_library::asks();
			if (attends && level->attention()->takes(op)) {
				return &attend;
			}
			if ((attends && of_quantised_cache(op->src[1])) || (multiplies(op) && of_quantised_cache(op->src[0]))) {
				kernels::others_attend = true; // they would take rotated keys for what they are not
			}
			return level->operation_for(op) != nullptr ? &compute : nullptr;
		}
	} computes{*this};

	ggml_backend_buffer_type_t buffer_type() const { return (ggml_backend_buffer_type_t) &type; }

	// Those that there are, which stay.
	static std::vector<std::unique_ptr<user>> &all() {
		static auto *users = new std::vector<std::unique_ptr<user>>();
		return *users;
	}

	static const user &of(ggml_backend_buffer_type_t type) {
		return **std::find_if(all().begin(), all().end(), [type](const auto &one) { return one->buffer_type() == type; });
	}

	static void set_tensor(ggml_backend_buffer_t, ggml_tensor *tensor, const void *data, size_t offset, size_t size) {
		GGML_ASSERT(offset == 0 && size == ggml_nbytes(tensor));
		if (const kernels::mul_mat *multiplies = level->mul_mat_for(tensor)) {
			multiplies->pack(tensor, tensor->data, data);
			kernels::choose_multipliers(tensor);
		} else {
			memcpy(tensor->data, data, size);
		}
	}

	static size_t get_alloc_size(ggml_backend_buffer_type_t, const ggml_tensor *tensor) {
		const kernels::mul_mat *multiplies = level->mul_mat_for(tensor);
		return multiplies == nullptr ? ggml_nbytes(tensor) : multiplies->packed_size(tensor);
	}

	static ggml_backend_buffer_t alloc_buffer(ggml_backend_buffer_type_t type, size_t size) {
		const user &by = of(type);
		ggml_backend_buffer_t buffer = by.ggml.backend_buft_alloc_buffer(by.ggml.backend_cpu_buffer_type(), size);
		if (buffer != nullptr) {
			auto words = (const void **) buffer;
			words[by.ggml.in_buffer.type] = type;
			words[by.ggml.in_buffer.set_tensor] = (const void *) set_tensor;
			words[by.ggml.in_buffer.get_tensor] = nullptr;
			words[by.ggml.in_buffer.copy_tensor] = nullptr;
		}
		return buffer;
	}

  public:
	explicit user(const kernels::ggml_library::symbols &find) : ggml(find) {
		auto words = (const void **) type.words;
		words[ggml.in_type.get_name] = (const void *) +[](ggml_backend_buffer_type_t) { return "CPU_PROCTOR"; };
		words[ggml.in_type.alloc_buffer] = (const void *) alloc_buffer;
		words[ggml.in_type.get_alignment] = (const void *) +[](ggml_backend_buffer_type_t) { return (size_t) 64; };
		words[ggml.in_type.get_alloc_size] =
			(const void *) get_alloc_size; // and they may be of any size, and are not to be read by others
		words[ggml.in_type.device] = ggml.backend_buft_get_device(ggml.backend_cpu_buffer_type());
		words[ggml.in_type.context] = static_cast<const ggml::cpu::extra_buffer_type *>(&computes);
	}

	// Says whether the kernels both write and read the cache of the library that was added last.
	static bool rotates() {
		return !all().empty() && all().back()->ggml.takes("SET_ROWS") && all().back()->ggml.takes("FLASH_ATTN_EXT");
	}

	// Adds the kernels to a library: the first type that takes a tensor gets it.
	static void add(const kernels::ggml_library::symbols &find) {
		all().push_back(std::make_unique<user>(find));
		const user &added = *all().back();
		auto &types = added.ggml.extra_buffer_types();
		types.insert(types.begin(), added.buffer_type());
		kernels::lay_out_buffers(added.ggml);
	}
};

} // namespace

#ifdef PROCTOR_CPU_FEATURES
const uint64_t proctor_cpu_compiled_cxx = PROCTOR_CPU_COMPILED;
#endif

const char *proctor_kernels_level(int32_t i) { return kernels::levels()[i].name; }

const char *proctor_kernels_level_lacks(int32_t i, int32_t n) { return kernels::lacking(kernels::levels()[i], n); }

void kernels::install(const kernels::level &computes) {
	multiply_with(computes);
	if (std::exchange(::level, &computes) == nullptr) {
		user::add(builtin_symbol);
	}
}

const char *proctor_kernels_add(uintptr_t function) {
	static thread_local std::string refused;
	try {
		Dl_info library;
		void *handle =
			dladdr((const void *) function, &library) == 0 ? nullptr : dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD);
		if (handle == nullptr) {
			return "its backend for CPUs is no shared library";
		}
		user::add([handle](const char *name) { return dlsym(handle, name); }); // or of those that it needs
		return nullptr;
	} catch (const std::exception &e) {
		refused = e.what();
		return refused.c_str();
	}
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

bool proctor_kernels_rotates(void) { return user::rotates(); }
