#include "multipliers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels.h"
#include "level.h"
#include "library.h"

namespace kernels {

namespace {

// A range of numbers of columns.
struct range {
	int64_t most;     // columns; the range begins behind that of the one before
	int64_t measured; // columns that levels are measured with
	int share;        // of the copies of a matrix, one in so many is multiplied in a measurement
};
constexpr range ranges[] = {{1, 1, 1}, {32, 16, 3}, {INT64_MAX, 64, 9}};

int range_of(int64_t columns) {
	auto holds = [columns](const range &one) { return columns <= one.most; };
	return (int) (std::find_if(std::begin(ranges), std::end(ranges), holds) - ranges);
}

// What multiplies weights of a type.
struct multipliers {
	std::array<const level *, std::size(ranges)> by; // for each range
	bool packed;                                     // there are such weights, which may be multiplied already
} types[GGML_TYPE_COUNT];

bool measuring = false; // what multiplies a type is measured with its first weights

struct freed {
	void operator()(void *memory) const { free(memory); }
};
using memory = std::unique_ptr<void, freed>;
memory aligned(size_t size) { return memory(aligned_alloc(64, (size + 63) / 64 * 64)); }

// Returns a ggml with a single thread, which has nobody to wait for and takes one chunk after the other.
ggml_library one_thread() {
	static int next;
	ggml_library ggml = ggml_library::here();
	ggml.barrier = [](ggml_threadpool *) {};
	ggml.threadpool_chunk_set = [](ggml_threadpool *, int to) { next = to; };
	ggml.threadpool_chunk_add = [](ggml_threadpool *, int n) { return std::exchange(next, next + n); };
	return ggml;
}

// Copies of a matrix of a model, activations, and one thread that multiplies them with any level.
class products {
	using clock = std::chrono::steady_clock;
	static constexpr int64_t matrix_bytes = 512 << 10; // of a matrix, at most: its first rows
	static constexpr size_t bytes = 4 << 20; // of all copies: they come from beyond the L2 cache, as a model's weights do
	const ggml_library ggml = one_thread();
	ggml_context *const context = ggml_init({4 * ggml_tensor_overhead(), nullptr, true});
	ggml_tensor *const op;
	const size_t size; // of a copy
	const memory packed, activations, result;
	int next = 0;

	static ggml_tensor *made(ggml_context *context, const ggml_tensor *all, int64_t columns) {
		const int64_t some = matrix_bytes / (int64_t) all->nb[1] / 16 * 16; // whole tiles
		ggml_tensor *weights =
			ggml_new_tensor_2d(context, all->type, all->ne[0], std::min(all->ne[1], std::max<int64_t>(16, some)));
		return ggml_mul_mat(context, weights, ggml_new_tensor_2d(context, GGML_TYPE_F32, all->ne[0], columns));
	}
	const mul_mat *with(const level &by) const { return by.mul_mat_for(op->src[0]); }
	int copies() const { return (int) (bytes / size) + 1; }

	// Lets pass what a token's other operations take: a CPU may rest parts of it that only products use, and wakes them slowly.
	static void pause() {
		for (const auto begun = clock::now(); clock::now() - begun < std::chrono::microseconds(5);) {
		}
	}

  public:
	products(const level &packs, const ggml_tensor *all, int64_t columns)
		: op(made(context, all, columns)), size(with(packs)->packed_size(op->src[0])), packed(aligned(copies() * size)),
		  activations(aligned(ggml_nbytes(op->src[1]))), result(aligned(ggml_nbytes(op))) {
		for (int i = 0; i < copies(); i++) {
			memcpy((char *) packed.get() + i * size, all->data, size);
		}
		op->src[1]->data = activations.get();
		op->data = result.get();
		for (int64_t i = 0; i < ggml_nelements(op->src[1]); i++) {
			((float *) activations.get())[i] = (float) (i % 17 - 8) / 8;
		}
	}
	products(const products &) = delete;
	products &operator=(const products &) = delete;
	~products() { ggml_free(context); }

	// Multiplies a share of the copies, one after the other.
	double seconds(const level &by, int share) {
		const memory work = aligned(with(by)->work_size(1, op));
		const compute_params thread = {0, 1, work.get(), nullptr, &ggml, nullptr};
		clock::duration all{};
		for (int i = 0; i < copies(); i += share) {
			op->src[0]->data = (char *) packed.get() + next++ % copies() * size;
			pause();
			const auto began = clock::now();
			with(by)->compute(&thread, op);
			all += clock::now() - began;
		}
		return std::chrono::duration<double>(all).count();
	}
};

// Returns the fastest level: the one that computes all else, unless another one gains more than chance does.
const level *fastest(const ggml_tensor *weights, const range &of) {
	constexpr int rounds = 3; // of which each level's shortest counts: others may have been disturbed
	constexpr double gain = 1.05;
	std::vector<std::pair<const level *, double>> able; // and their seconds
	for (const level *l = levels(); l->name != nullptr; l++) {
		if (lacking(*l, 0) == nullptr) {
			able.emplace_back(l, INFINITY);
		}
	}
	products with(*able.front().first, weights, of.measured);
	for (int round = 0; round < rounds; round++) {
		for (auto &[by, seconds] : able) {
			seconds = std::min(seconds, with.seconds(*by, of.share));
		}
	}
	auto computes_all_else = [&](const auto &one) { return one.first->attention == able.front().first->attention; };
	auto best = *std::find_if(able.rbegin(), able.rend(), computes_all_else);
	for (const auto &other : able) {
		if (other.second * gain < best.second) {
			best = other;
		}
	}
	return best.first;
}

} // namespace

const level &multiplier_of(const ggml_tensor *op) {
	const int64_t matrices = op->src[0]->ne[2] * op->src[0]->ne[3];
	const int64_t columns = (op->ne[1] * op->ne[2] * op->ne[3] + matrices - 1) / matrices;
	return *types[op->src[0]->type].by[range_of(columns)];
}

void multiply_with(const level &all) {
	measuring = false;
	for (multipliers &type : types) {
		type.by.fill(&all);
		type.packed = false;
	}
}

void choose_multipliers(const ggml_tensor *packed) {
	constexpr int64_t least = 32 << 10; // bytes of a matrix that takes time worth measuring
	multipliers &type = types[packed->type];
	if (std::exchange(type.packed, true) || !measuring || packed->ne[1] * (int64_t) packed->nb[1] < least) {
		return;
	}
	for (int i = 0; i < (int) std::size(ranges); i++) {
		type.by[i] = fastest(packed, ranges[i]);
	}
}

} // namespace kernels

void proctor_kernels_measure(void) { kernels::measuring = true; }

void proctor_kernels_multiply(int32_t type, int64_t columns, int32_t level) {
	kernels::types[type].by[kernels::range_of(columns)] = &kernels::levels()[level];
}

const char *proctor_kernels_multiplier(int32_t type, int64_t columns) {
	const kernels::multipliers &of = kernels::types[type];
	return of.packed ? of.by[kernels::range_of(columns)]->name : nullptr;
}
