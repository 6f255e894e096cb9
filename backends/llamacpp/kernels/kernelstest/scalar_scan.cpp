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

// Goes one token on with a head of RWKV 7.
static void advance_wkv7(const proctor_wkv &w, int64_t at, float *states, float *to) {
	auto of = [&](int source) { return w.sources[source] + at; };
	for (int64_t row = 0; row < w.width; row++, states += w.width) {
		float found[64] = {}, sum[64] = {};
		for (int64_t i = 0; i < w.width; i++) {
			found[i % 64] = std::fma(of(4)[i], states[i], found[i % 64]);
		}
		const float find = proctor_sum_places(found);
		for (int64_t i = 0; i < w.width; i++) {
			states[i] = std::fma(find, of(5)[i], std::fma(states[i], of(1)[i], of(3)[row] * of(2)[i]));
			sum[i % 64] = std::fma(states[i], of(0)[i], sum[i % 64]);
		}
		to[row] = proctor_sum_places(sum);
	}
}

// Goes one token on with a head of another kind.
static void advance_by_keys(const proctor_wkv &w, int64_t at, const float *first, float *states, float *to) {
	std::fill_n(to, w.width, 0.0f);
	for (int64_t i = 0; i < w.width; i++, states += w.width) {
		const float ask = w.sources[2][at + i] * (first == nullptr ? w.scale : 1);
		for (int64_t j = 0; j < w.width; j++) {
			const float taken = w.sources[1][at + j] * w.sources[0][at + i];
			const float own = first == nullptr ? 0 : std::fma(taken, first[i], states[j]);
			states[j] = std::fma(states[j], w.sources[first == nullptr ? 3 : 4][at + i], taken);
			to[j] = std::fma(first == nullptr ? states[j] : own, ask, to[j]);
		}
	}
}

void proctor_scalar_wkv(proctor_wkv w, float *to) {
	const int64_t rows = w.sequences * w.tokens * w.heads;
	float *after = to + rows * w.width;
	std::copy_n(w.states, w.sequences * w.heads * w.width * w.width, after);
	for (int64_t row = 0; row < rows; row++) {
		const int64_t head = row % w.heads, sequence = row / w.heads / w.tokens, at = row * w.width;
		float *states = after + (sequence * w.heads + head) * w.width * w.width;
		if (w.kind == GGML_OP_RWKV_WKV7) {
			advance_wkv7(w, at, states, to + at);
		} else {
			advance_by_keys(w, at, w.kind == GGML_OP_RWKV_WKV6 ? w.sources[3] + head * w.width : nullptr, states, to + at);
		}
	}
}

void proctor_scalar_solve(proctor_equations e, float *to) {
	for (int64_t at = 0; at < e.systems * e.rows * e.columns; at++) {
		const int64_t row = at / e.columns % e.rows, first = at - row * e.columns; // of the column
		const float *factors = e.triangles + (at / e.columns / e.rows * e.rows + row) * e.rows;
		float sum = 0;
		for (int64_t above = 0; above < row; above++) {
			sum = std::fma(factors[above], to[first + above * e.columns], sum);
		}
		to[at] = (e.right[at] - sum) / factors[row];
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
