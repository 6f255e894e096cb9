// Scans of state-space models: https://arxiv.org/abs/2312.00752, and with one decay for a head's states
// https://arxiv.org/abs/2405.21060.
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// A GGML_OP_SSM_SCAN. Heads have rows, and rows states, which decay with each token's step and take its input in; the output is
// the product of a row's states with what the token asks of its group.
struct ssm_scan_op {
	const ggml_tensor *before, *x, *dt, *decays, *inputs, *asked;
	ggml_tensor *op;
	int64_t states, rows, heads, groups, tokens;

	static constexpr int64_t chunk_tokens = 64;

	explicit ssm_scan_op(ggml_tensor *op)
		: before(op->src[0]), x(op->src[1]), dt(op->src[2]), decays(op->src[3]), inputs(op->src[4]), asked(op->src[5]), op(op),
		  states(before->ne[0]), rows(before->ne[1]), heads(x->ne[1]), groups(inputs->ne[1]), tokens(x->ne[2]) {}

	// Where a head's states are before the first token, and where they are written.
	const float *states_before(int64_t head, int64_t sequence) const {
		const int32_t place = ((const int32_t *) op->src[6]->data)[sequence];
		return (const float *) ((const char *) before->data + place * before->nb[3]) + head * rows * states;
	}
	float *states_after(int64_t head, int64_t sequence) const {
		float *first = (float *) op->data + ggml_nelements(x);
		return (float *) ((char *) first + sequence * before->nb[3]) + head * rows * states;
	}
	float *output(int64_t head, int64_t token, int64_t sequence) const {
		return (float *) op->data + ((sequence * tokens + token) * heads + head) * rows;
	}

	// Goes some tokens on with sixteen heads, or those before end, one after the other: a head's states stay in the cache.
	void advance(int64_t head, int64_t end, int64_t token, int64_t count, int64_t sequence) const {
		float steps[chunk_tokens][vector];
		for (int64_t t = 0; t < count; t++) {
			store(steps[t], softplus(load_first(tensor_at<float>(dt, token + t, sequence, 0) + head, heads - head)));
		}
		for (int64_t h = head; h < std::min(head + vector, end); h++) {
			float *after = states_after(h, sequence);
			for (int64_t t = 0; t < count; t++) {
				const float *from = token + t == 0 ? states_before(h, sequence) : after;
				if (decays->ne[0] == 1) {
					advance<true>(h, token + t, sequence, steps[t][h - head], from, after);
				} else {
					advance<false>(h, token + t, sequence, steps[t][h - head], from, after);
				}
			}
		}
	}

	// Goes one token on with a head, whose states have the same decay or each its own.
	template <bool alike>
	void advance(int64_t head, int64_t token, int64_t sequence, float step, const float *from, float *to) const {
		const int64_t group = head / (heads / groups);
		const float *decay = tensor_at<float>(decays, head, 0, 0);
		const float *in = tensor_at<float>(inputs, group, token, sequence),
					*ask = tensor_at<float>(asked, group, token, sequence);
		const float *values = tensor_at<float>(x, head, token, sequence);
		float *to_output = output(head, token, sequence);
		const f32x16 kept = alike ? exp_any(mul(broadcast(step), broadcast(decay[0]))) : zeros();
		for (int64_t row = 0; row < rows; row++) {
			const f32x16 value = broadcast(values[row] * step);
			four_sums sums;
			each_of_four(states, [&](int64_t i, int j) {
				const int64_t at = row * states + i, count = states - i;
				const f32x16 factor = alike ? kept : exp_any(mul(broadcast(step), load_first(decay + i, count)));
				const f32x16 state = fmadd(load_first(from + at, count), factor, mul(load_first(in + i, count), value));
				sums.sum[j] = fmadd(state, load_first(ask + i, count), sums.sum[j]);
				store_first(to + at, state, count);
			});
			to_output[row] = sums.total();
		}
	}
};

// Computes a GGML_OP_SSM_SCAN of floats. All threads call it, each for some heads.
void ssm_scan(const compute_params *params, ggml_tensor *tensor) {
	const ssm_scan_op op(tensor);
	const int64_t first = op.heads * params->ith / params->nth, end = op.heads * (params->ith + 1) / params->nth;
	for (int64_t sequence = 0; sequence < op.x->ne[3]; sequence++) {
		for (int64_t head = first; head < end; head += vector) {
			for (int64_t token = 0; token < op.tokens; token += op.chunk_tokens) {
				op.advance(head, end, token, std::min(op.chunk_tokens, op.tokens - token), sequence);
			}
		}
	}
}

inline operation ssm_scan_for(const ggml_tensor *op) {
	const auto plain = [](const ggml_tensor *t) { return has_rows_of_floats(t); };
	return std::all_of(op->src, op->src + 6, plain) ? ssm_scan : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
