// What a softmax that is carried along has summed up.
#pragma once

#include "gemm.h"

namespace kernels::PROCTOR_LEVEL {

// A score so far below another one has no weight. The weight would be too small for a normal float, and the CPU is slow with
// those.
constexpr float score_cutoff = -80;

inline f32x16 weights_of(f32x16 below) { return select(above(below, broadcast(score_cutoff)), exp(below), zeros()); }

// The weight beside another one of a score that is not higher; none where one of them is no number, as a sink of a broken model.
inline float weight_of(float below) { return below <= score_cutoff ? 0 : _mm256_cvtss_f32(low_half(exp(broadcast(below)))); }

// The sum of values and the total weight of rows, a weight being e^(score - peak): https://arxiv.org/abs/1805.02867. Scores that
// are no numbers make a row's total none.
struct softmax_sums {
	int64_t size; // of a row's sum
	float *sum, *peak, *total;

	static int64_t memory_floats(int64_t rows, int64_t size) { return rows * (size + 2); }

	softmax_sums(float *memory, int64_t rows, int64_t size)
		: size(size), sum(memory), peak(memory + rows * size), total(peak + rows) {}

	void clear(int64_t row) const {
		memset(sum + row * size, 0, size * sizeof(float));
		peak[row] = -INFINITY;
		total[row] = 0;
	}

	bool empty(int64_t row) const { return peak[row] == -INFINITY && total[row] == 0; }

	// Says whether all that a row has summed up are numbers.
	bool finite(int64_t row) const {
		f32x16 none = zeros(); // a number times 0 is 0
		for (int64_t i = 0; i < size; i += vector) {
			none = fmadd(load(sum + row * size + i), zeros(), none);
		}
		return !any(non_finite(none));
	}

	// Adds a row of other sums.
	void add(int64_t row, const softmax_sums &other, int64_t from) const {
		if (other.empty(from)) {
			return;
		}
		if (empty(row)) {
			copy(row, other, from);
			return;
		}
		const float above = other.peak[from] - peak[row];
		const float weight = above > 0 ? 1 : weight_of(above), shrink = above > 0 ? weight_of(-above) : 1;
		float *to = sum + row * size;
		for (int64_t i = 0; i < size; i += vector) {
			store(to + i, fmadd(broadcast(weight), load(other.sum + from * size + i), mul(load(to + i), broadcast(shrink))));
		}
		peak[row] = std::max(peak[row], other.peak[from]);
		total[row] = std::fma(weight, other.total[from], total[row] * shrink);
	}

	void copy(int64_t row, const softmax_sums &other, int64_t from) const {
		memcpy(sum + row * size, other.sum + from * size, size * sizeof(float));
		peak[row] = other.peak[from];
		total[row] = other.total[from];
	}
};

} // namespace kernels::PROCTOR_LEVEL
