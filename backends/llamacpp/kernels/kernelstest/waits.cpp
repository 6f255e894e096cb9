#include "waits.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../compute_params.h"
#include "../flash_attn.h"
#include "../level.h"
#include "../library.h"
#include "../multipliers.h"
#include "../attached.h"
#include "ggml-cpu.h"

namespace {

struct freed {
	void operator()(void *memory) const { free(memory); }
};

// Threads that count what they do. ggml's functions take no object, so there is one.
struct counted {
	std::mutex mutex;
	std::condition_variable all_are_here;
	int threads = 0, here = 0;
	int64_t waits = 0;
	std::atomic<int> next{0}, fetched{0};
} now;

void wait_for_all(ggml_threadpool *) {
	std::unique_lock<std::mutex> lock(now.mutex);
	const int64_t wait = now.waits;
	if (++now.here == now.threads) {
		now.here = 0;
		now.waits++;
		now.all_are_here.notify_all();
	} else {
		now.all_are_here.wait(lock, [wait] { return now.waits != wait; });
	}
}

// Computes an operation on threads that share size bytes of memory.
template <class function> proctor_sharing share(int threads, size_t size, function compute) {
	static const kernels::attached_cache nothing_known{{0, nullptr, nullptr}, {}};
	kernels::ggml_library ggml(kernels::builtin_symbol);
	ggml.barrier = wait_for_all;
	ggml.threadpool_chunk_set = [](ggml_threadpool *, int to) { now.next = to; };
	ggml.threadpool_chunk_add = [](ggml_threadpool *, int n) { return now.fetched++, now.next.fetch_add(n); };
	now.threads = threads, now.waits = 0, now.next = threads, now.fetched = 0;
	const std::unique_ptr<void, freed> memory(aligned_alloc(64, (size + 63) / 64 * 64 + 64));
	std::vector<std::thread> all;
	for (int i = 0; i < threads; i++) {
		all.emplace_back([&, i] {
			const kernels::compute_params params = {i, threads, memory.get(), nullptr, &ggml, &nothing_known};
			compute(&params);
		});
	}
	for (std::thread &one : all) {
		one.join();
	}
	return {now.waits, now.fetched == 0 ? 0 : now.next - threads}; // beyond its last part a thread fetches one that there is not
}

// Tensors with memory, all of it zeros.
struct zeros {
	ggml_context *context;
	explicit zeros(size_t bytes) : context(ggml_init({bytes + (16 << 20), nullptr, false})) {}
	~zeros() { ggml_free(context); }
	ggml_tensor *of(ggml_type type, int64_t a, int64_t b, int64_t c = 1, int64_t d = 1) const {
		ggml_tensor *made = ggml_new_tensor_4d(context, type, a, b, c, d);
		memset(made->data, 0, ggml_nbytes(made));
		return made;
	}
};

} // namespace

proctor_sharing proctor_product_sharing(ggml_type type, int64_t width, int64_t rows, int64_t columns, int threads) {
	const zeros all((width * rows + width * columns + rows * columns) * sizeof(float));
	ggml_tensor *weights = all.of(type, width, rows);
	ggml_tensor *op = ggml_mul_mat(all.context, weights, all.of(GGML_TYPE_F32, width, columns));
	const kernels::mul_mat &by = *kernels::multiplier_of(op).mul_mat_for(weights);
	return share(threads, by.work_size(threads, op), [&](const kernels::compute_params *params) { by.compute(params, op); });
}

proctor_sharing proctor_attention_sharing(proctor_attention a, int threads) {
	const zeros all(((a.width + a.height) * (a.shared * a.cells + a.heads * a.tokens)) * a.streams * sizeof(float));
	ggml_tensor *query = all.of(GGML_TYPE_F32, a.width, a.tokens, a.heads, a.streams);
	ggml_tensor *keys = all.of(a.type, a.width, a.cells, a.shared, a.streams);
	ggml_tensor *values = all.of(a.type, a.height, a.cells, a.shared, a.streams);
	ggml_tensor *op = ggml_flash_attn_ext(all.context, query, keys, values, nullptr, 1, 0, 0);
	const kernels::level *level = kernels::levels();
	while (kernels::lacking(*level, 0) != nullptr) {
		level++;
	}
	const kernels::flash_attn &by = *level->attention();
	return share(threads, by.work_size(threads, op), [&](const kernels::compute_params *params) { by.compute(params, op); });
}
