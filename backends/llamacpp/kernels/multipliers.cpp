#include "multipliers.h"

#include <algorithm>
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

// A range of numbers of columns, and the level that multiplies all of them.
struct shape {
	int64_t most;     // columns; the range begins behind that of the shape before
	int64_t measured; // columns that levels are measured with
	int matrices;     // that are multiplied in a measurement
	const level *by;
} shapes[] = {{1, 1, 16, nullptr}, {32, 16, 8, nullptr}, {INT64_MAX, 64, 4, nullptr}};

auto &shape_of(int64_t columns) {
	return *std::find_if(std::begin(shapes), std::end(shapes), [columns](const auto &shape) { return columns <= shape.most; });
}

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

// Matrices of weights of 4 bits, activations, and one thread that multiplies them with any level.
class products {
	static constexpr int64_t side = 1024;    // of a matrix
	static constexpr size_t bytes = 4 << 20; // of all tensors
	static constexpr int copies = 8;         // of the packed weights: they come from beyond the L2 cache, as a model's do
	ggml_context *const context = ggml_init({bytes, nullptr, false});
	ggml_tensor *const op;
	const ggml_library &ggml;
	const size_t size;
	const memory packed;
	int next = 0;

	static ggml_tensor *made(ggml_context *context, int64_t columns) {
		ggml_tensor *weights = ggml_new_tensor_2d(context, GGML_TYPE_Q4_K, side, side);
		ggml_tensor *activations = ggml_new_tensor_2d(context, GGML_TYPE_F32, side, columns);
		memset(weights->data, 0x11, ggml_nbytes(weights)); // normal scales, and values that are not 0
		for (int64_t i = 0; i < side * columns; i++) {
			((float *) activations->data)[i] = (float) (i % 17 - 8) / 8;
		}
		return ggml_mul_mat(context, weights, activations);
	}
	const mul_mat *with(const level &by) const { return by.mul_mat_for(op->src[0]); }

  public:
	products(const ggml_library &ggml, const level &packs, int64_t columns)
		: op(made(context, columns)), ggml(ggml), size(with(packs)->packed_size(op->src[0])), packed(aligned(copies * size)) {
		with(packs)->pack(op->src[0], packed.get(), op->src[0]->data);
		for (int i = 1; i < copies; i++) {
			memcpy((char *) packed.get() + i * size, packed.get(), size);
		}
	}
	products(const products &) = delete;
	products &operator=(const products &) = delete;
	~products() { ggml_free(context); }

	// Multiplies some of the matrices, one after the other.
	double seconds(const level &by, int matrices) {
		ggml_tensor weights = *op->src[0], multiplied = *op;
		multiplied.src[0] = &weights;
		const memory work = aligned(with(by)->work_size(1, &multiplied));
		const compute_params thread = {0, 1, work.get(), nullptr, &ggml};
		const auto began = std::chrono::steady_clock::now();
		for (int i = 0; i < matrices; i++) {
			weights.data = (char *) packed.get() + next++ % copies * size;
			with(by)->compute(&thread, &multiplied);
		}
		return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
	}
};

// Returns the fastest level: that of the newest instructions, unless another one gains more than chance does.
const level *fastest(const ggml_library &ggml, const shape &of) {
	constexpr int rounds = 3; // of which each level's shortest counts: others may have been disturbed
	constexpr double gain = 1.05;
	std::vector<std::pair<const level *, double>> able; // and their seconds
	for (const level *l = levels(); l->name != nullptr; l++) {
		if (lacking(*l, 0) == nullptr) {
			able.emplace_back(l, INFINITY);
		}
	}
	products with(ggml, *able.front().first, of.measured);
	for (int round = 0; round < rounds; round++) {
		for (auto &[by, seconds] : able) {
			seconds = std::min(seconds, with.seconds(*by, of.matrices));
		}
	}
	auto best = able.front();
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
	return *shape_of((op->ne[1] * op->ne[2] * op->ne[3] + matrices - 1) / matrices).by;
}

void multiply_with(const level &all) {
	for (auto &shape : shapes) {
		shape.by = &all;
	}
}

} // namespace kernels

void proctor_kernels_measure(void) {
	const kernels::ggml_library ggml = kernels::one_thread();
	for (auto &shape : kernels::shapes) {
		shape.by = kernels::fastest(ggml, shape);
	}
}

void proctor_kernels_multiply(int64_t columns, int32_t level) { kernels::shape_of(columns).by = &kernels::levels()[level]; }

const char *proctor_kernels_multiplier(int64_t columns) { return kernels::shape_of(columns).by->name; }
