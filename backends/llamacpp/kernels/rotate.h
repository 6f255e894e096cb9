// The rotation of keys and values: see attached.h.
#pragma once

#include PROCTOR_VECTORS

#include <cmath>

namespace kernels::PROCTOR_LEVEL {

// Makes of the values in lanes i and i ^ distance their sum and their difference.
template <int distance> f32x16 sums_and_differences(f32x16 v) {
	alignas(64) float sign[vector];
	for (int i = 0; i < vector; i++) {
		sign[i] = i & distance ? -1 : 1;
	}
	return fmadd(v, load(sign), swap_lanes<distance>(v)); // exact but for the sum
}

// Rotates count values, in blocks of size of them; 0: it leaves them as they are.
inline void rotate(float *values, int64_t count, int64_t size) {
	if (size == 0) {
		return;
	}
	const f32x16 scale = broadcast(1 / std::sqrt((float) size));
	for (float *block = values; block < values + count; block += size) {
		for (int64_t distance = size / 2; distance >= vector; distance /= 2) {
			for (int64_t i = 0; i < size; i += vector) {
				if (i & distance) {
					continue;
				}
				const f32x16 a = load(block + i), b = load(block + i + distance);
				store(block + i, add(a, b));
				store(block + i + distance, sub(a, b));
			}
		}
		for (int64_t i = 0; i < size; i += vector) {
			f32x16 v = sums_and_differences<8>(load(block + i));
			v = sums_and_differences<2>(sums_and_differences<4>(v));
			store(block + i, mul(sums_and_differences<1>(v), scale));
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
