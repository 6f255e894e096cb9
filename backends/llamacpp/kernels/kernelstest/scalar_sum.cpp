#include "scalar.h"

#include <algorithm>

constexpr int lanes = 16;

float proctor_sum_lanes(const float *of) {
	float sum[lanes];
	std::copy_n(of, lanes, sum);
	for (int apart = lanes / 2; apart > 0; apart /= 2) {
		for (int i = 0; i < apart; i++) {
			sum[i] += sum[i + apart];
		}
	}
	return sum[0];
}

float proctor_sum_places(const float *places) {
	float sum[lanes];
	for (int i = 0; i < lanes; i++) {
		sum[i] = places[i] + places[i + lanes] + (places[i + 2 * lanes] + places[i + 3 * lanes]);
	}
	return proctor_sum_lanes(sum);
}
