// What a softmax that is carried along has summed up.
#pragma once

#include "gemm.h"

namespace kernels::PROCTOR_LEVEL {

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

	// Makes now the row's peak where it is higher than before, and returns what that does to what it has.
	float raise(int64_t row, float now) const {
		if (!(now > peak[row])) {
			return 1;
		}
		const float before = peak[row];
		peak[row] = now;
		if (before == -INFINITY) {
			return 0; // it has nothing yet
		}
		const float shrink = std::exp(before - now);
		for (int64_t i = 0; i < size; i += vector) {
			store(sum + row * size + i, mul(load(sum + row * size + i), broadcast(shrink)));
		}
		return shrink;
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
		const float highest = std::max(peak[row], other.peak[from]);
		const float shrink = highest > peak[row] ? std::exp(peak[row] - highest) : 1, weight = std::exp(other.peak[from] - highest);
		float *to = sum + row * size;
		for (int64_t i = 0; i < size; i += vector) {
			store(to + i, fmadd(broadcast(weight), load(other.sum + from * size + i), mul(load(to + i), broadcast(shrink))));
		}
		peak[row] = highest;
		total[row] = std::fma(weight, other.total[from], total[row] * shrink);
	}

	void copy(int64_t row, const softmax_sums &other, int64_t from) const {
		memcpy(sum + row * size, other.sum + from * size, size * sizeof(float));
		peak[row] = other.peak[from];
		total[row] = other.total[from];
	}
};

} // namespace kernels::PROCTOR_LEVEL
