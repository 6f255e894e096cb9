#include "scalar.h"

#include <cmath>

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

void proctor_scalar_multiply_f32(proctor_product p, float *to) {
	const int64_t of_each = p.columns / p.matrices;
	for (int64_t column = 0; column < p.columns; column++) {
		for (int64_t row = 0; row < p.rows; row++) {
			const float *weights = (const float *) p.weights + (column / of_each * p.rows + row) * p.k;
			const float *activations = p.activations + column * p.k;
			float sum[16] = {};
			for (int64_t i = 0; i < p.k; i++) {
				sum[i % 16] = std::fma(weights[i], activations[i], sum[i % 16]);
			}
			to[column * p.rows + row] = proctor_sum_lanes(sum);
		}
	}
}
