#include "scalar.h"

float proctor_sum_places(const float *places) {
	constexpr int lanes = 16;
	float sum[lanes];
	for (int i = 0; i < lanes; i++) {
		sum[i] = places[i] + places[i + lanes] + (places[i + 2 * lanes] + places[i + 3 * lanes]);
	}
	for (int apart = lanes / 2; apart > 0; apart /= 2) {
		for (int i = 0; i < apart; i++) {
			sum[i] += sum[i + apart];
		}
	}
	return sum[0];
}
