// Convolutions of a few tokens, which come before the scans of state-space models.
#pragma once

#include "elements.h"

namespace kernels::PROCTOR_LEVEL {

// A GGML_OP_SSM_CONV: for a token a channel gives the weighted sum of as many values, from the token's on, as it has weights.
struct ssm_conv_op {
	const ggml_tensor *x, *weights;
	ggml_tensor *op;

	// Computes sixteen channels of sixteen tokens: a channel's tokens lie side by side, and so will a token's channels.
	void tile(int64_t channel, int64_t token, int64_t sequence) const {
		float sums[vector][vector];
		for (int c = 0; c < vector; c++) {
			const float *from = tensor_at<float>(x, channel + c, sequence, 0) + token;
			const float *weight = tensor_at<float>(weights, channel + c, 0, 0);
			f32x16 sum = zeros();
			for (int64_t i = 0; i < weights->ne[0]; i++) {
				sum = fmadd(load(from + i), broadcast(weight[i]), sum);
			}
			store(sums[c], sum);
		}
		float *to = const_cast<float *>(tensor_at<float>(op, token, sequence, 0)) + channel;
		transpose(sums[0], vector, to, op->nb[1] / sizeof(float));
	}

	float one(int64_t channel, int64_t token, int64_t sequence) const {
		const float *from = tensor_at<float>(x, channel, sequence, 0) + token, *weight = tensor_at<float>(weights, channel, 0, 0);
		float sum = 0;
		for (int64_t i = 0; i < weights->ne[0]; i++) {
			sum = std::fma(from[i], weight[i], sum);
		}
		return sum;
	}
};

// Computes a GGML_OP_SSM_CONV of floats. All threads call it, each for some channels.
void ssm_conv(const compute_params *params, ggml_tensor *tensor) {
	const ssm_conv_op op = {tensor->src[0], tensor->src[1], tensor};
	const int64_t channels = tensor->ne[0], tokens = tensor->ne[1], tiles = (channels + vector - 1) / vector;
	for (int64_t sequence = 0; sequence < tensor->ne[2]; sequence++) {
		for (int64_t t = tiles * params->ith / params->nth; t < tiles * (params->ith + 1) / params->nth; t++) {
			const int64_t first = t * vector, end = std::min(first + vector, channels);
			int64_t token = 0;
			for (; end - first == vector && token + vector <= tokens; token += vector) {
				op.tile(first, token, sequence);
			}
			for (; token < tokens; token++) {
				float *to = const_cast<float *>(tensor_at<float>(tensor, token, sequence, 0));
				for (int64_t c = first; c < end; c++) {
					to[c] = op.one(c, token, sequence);
				}
			}
		}
	}
}

inline operation ssm_conv_for(const ggml_tensor *op) {
	return has_rows_of_floats(op) && has_rows_of_floats(op->src[0]) && has_rows_of_floats(op->src[1]) ? ssm_conv : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
