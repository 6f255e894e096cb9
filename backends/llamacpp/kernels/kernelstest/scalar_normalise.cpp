#include "scalar.h"

#include <cmath>

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

void proctor_scalar_normalise(const float *from, int64_t width, int64_t rows, float epsilon, float *to) {
	constexpr int places = 64;
	for (int64_t r = 0; r < rows; r++, from += width, to += width) {
		float sum[places] = {};
		for (int64_t i = 0; i < width; i++) {
			sum[i % places] = std::fma(from[i], from[i], sum[i % places]);
		}
		const float scale = 1 / std::sqrt(proctor_sum_places(sum) / (float) width + epsilon);
		for (int64_t i = 0; i < width; i++) {
			to[i] = from[i] * scale;
		}
	}
}
