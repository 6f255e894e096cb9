#include "scalar.h"

#include <cmath>
#include <vector>

#include "../sizes.h"

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

void proctor_scalar_multiply_unpacked(proctor_product p, float *to) {
	const int64_t of_each = p.columns / p.matrices;
	std::vector<float> weights(p.matrices * p.rows * p.k);
	proctor_restore(p.type, p.weights, weights.data(), (int64_t) weights.size());
	for (int64_t product = 0; product < p.columns * p.used; product++) {
		const int64_t column = product / p.used, matrix = p.ids != nullptr ? p.ids[product] : column / of_each;
		for (int64_t row = 0; row < p.rows; row++) {
			const float *values = weights.data() + (matrix * p.rows + row) * p.k, *activations = p.activations + column * p.k;
			float sum[kernels::vector] = {};
			for (int64_t i = 0; i < p.k; i++) {
				float &lane = sum[i % kernels::vector];
				lane = std::fma(values[i], activations[i], lane);
			}
			to[product * p.rows + row] = proctor_sum_lanes(sum);
		}
	}
}
