#include "logits.h"

#include <cmath>

// The lanes let the compiler use vector instructions, which it may not for a plain maximum of floats.
int32_t proctor_argmax(const float *scores, int32_t n) {
	constexpr int lanes = 32;
	float best[lanes];
	int32_t broken[lanes] = {};
	for (float &b : best) {
		b = -INFINITY;
	}
	int32_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		for (int l = 0; l < lanes; l++) {
			float score = scores[i + l];
			best[l] = score > best[l] ? score : best[l];
			broken[l] |= score != score;
		}
	}
	for (; i < n; i++) {
		best[0] = scores[i] > best[0] ? scores[i] : best[0];
		broken[0] |= scores[i] != scores[i];
	}
	float top = best[0];
	for (int l = 0; l < lanes; l++) {
		top = best[l] > top ? best[l] : top;
		broken[0] |= broken[l];
	}
	if (broken[0] || !std::isfinite(top)) {
		return -1;
	}
	for (i = 0; scores[i] != top; i++) {
	}
	return i;
}
