#include "scalar.h"

#include <algorithm>
#include <cmath>

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

void proctor_scalar_scan(proctor_scan s, float *to) {
	float *states = to + s.sequences * s.tokens * s.heads * s.rows;
	std::copy_n(s.states, s.sequences * s.heads * s.rows * s.width, states);
	for (int64_t at = 0; at < s.sequences * s.tokens * s.heads; at++) {
		const int64_t head = at % s.heads, token = at / s.heads, sequence = token / s.tokens, group = head / (s.heads / s.groups);
		const float step = proctor_scalar_softplus(s.steps[at]);
		const float *in = s.inputs + (token * s.groups + group) * s.width, *ask = s.asked + (token * s.groups + group) * s.width;
		for (int64_t row = 0; row < s.rows; row++) {
			float *state = states + ((sequence * s.heads + head) * s.rows + row) * s.width, sum[64] = {};
			const float value = s.values[at * s.rows + row] * step;
			for (int64_t i = 0; i < s.width; i++) {
				const float decay = proctor_scalar_exp(step * s.decays[s.one_decay ? head : head * s.width + i]);
				state[i] = std::fma(state[i], decay, in[i] * value);
				sum[i % 64] = std::fma(state[i], ask[i], sum[i % 64]);
			}
			to[at * s.rows + row] = proctor_sum_places(sum);
		}
	}
}

void proctor_scalar_convolve(proctor_convolution c, float *to) {
	const int64_t width = c.tokens + c.weights_each - 1;
	for (int64_t at = 0; at < c.sequences * c.tokens * c.channels; at++) {
		const int64_t channel = at % c.channels, token = at / c.channels % c.tokens, sequence = at / c.channels / c.tokens;
		const float *from = c.from + (sequence * c.channels + channel) * width + token;
		to[at] = 0;
		for (int64_t i = 0; i < c.weights_each; i++) {
			to[at] = std::fma(from[i], c.weights[channel * c.weights_each + i], to[at]);
		}
	}
}
