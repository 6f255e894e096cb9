// States of RWKV 6 (https://arxiv.org/abs/2404.05892) and 7 (https://arxiv.org/abs/2503.14456), and of gated linear attention
// (https://arxiv.org/abs/2312.06635).
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// A GGML_OP_RWKV_WKV6, GGML_OP_RWKV_WKV7 or GGML_OP_GATED_LINEAR_ATTN. A head has a square of states, which decay with each token
// and take its key times its value in.
struct wkv_op {
	ggml_tensor *op;
	const ggml_tensor *before;              // the states
	int64_t size, heads, tokens, sequences; // of a head's rows; of all sequences

	wkv_op(ggml_tensor *op, const ggml_tensor *before)
		: op(op), before(before), size(op->src[0]->ne[0]), heads(op->src[0]->ne[1]), tokens(op->src[0]->ne[2]),
		  sequences(before->ne[1]) {}

	// What a source has of a token's head.
	const float *of(int source, int64_t head, int64_t token) const { return tensor_at<float>(op->src[source], head, token, 0); }
	float *output(int64_t head, int64_t token) const { return (float *) op->data + (token * heads + head) * size; }

	// Has each of this thread's heads go on token by token, from the states before it to where they are written.
	template <class kind> void compute(const compute_params *params) const {
		const int64_t first = heads * params->ith / params->nth, end = heads * (params->ith + 1) / params->nth;
		for (int64_t sequence = 0; sequence < sequences; sequence++) {
			for (int64_t head = first; head < end; head++) {
				const int64_t at = (sequence * heads + head) * size * size, of_each = tokens / sequences;
				float *states = (float *) op->data + tokens * heads * size + at;
				const float *from = (const float *) before->data + at;
				for (int64_t token = sequence * of_each; token < (sequence + 1) * of_each; token++, from = states) {
					kind::advance(*this, head, token, from, states);
				}
			}
		}
	}
};

// Reads or writes a vector of a head's row; where not all are whole, the first count places of it.
template <bool whole> inline f32x16 read(const float *from, int64_t count) {
	return whole ? load(from) : load_first(from, count);
}
template <bool whole> inline void write(float *to, f32x16 v, int64_t count) {
	if (whole) {
		store(to, v);
	} else {
		store_first(to, v, count);
	}
}

// Goes on with a head whose rows of states belong to places of the key. What a token takes in counts first[i] times in its own
// output, or without first as much as later.
template <bool whole>
void advance_by_keys(const wkv_op &op, int64_t head, int64_t token, const float *from, float *to, const float *first,
	const float *decay, float scale) {
	constexpr int together = 2 * row_tiles;
	const float *keys = op.of(0, head, token), *values = op.of(1, head, token), *asked = op.of(2, head, token);
	for (int64_t j = 0; j < op.size; j += together * vector) {
		f32x16 value[together], sum[together];
		for (int l = 0; l < together; l++) {
			value[l] = read<whole>(values + j + l * vector, op.size - j - l * vector);
			sum[l] = zeros();
		}
		for (int64_t i = 0; i < op.size; i++) {
			const f32x16 key = broadcast(keys[i]), ask = broadcast(asked[i] * scale), kept = broadcast(decay[i]);
			const f32x16 own = broadcast(first == nullptr ? 0 : first[i]);
			for (int l = 0; l < together; l++) {
				const int64_t at = i * op.size + j + l * vector, count = op.size - j - l * vector;
				const f32x16 state = read<whole>(from + at, count), taken = mul(value[l], key);
				const f32x16 next = fmadd(state, kept, taken);
				sum[l] = fmadd(first == nullptr ? next : fmadd(taken, own, state), ask, sum[l]);
				write<whole>(to + at, next, count);
			}
		}
		for (int l = 0; l < together; l++) {
			write<whole>(op.output(head, token) + j + l * vector, sum[l], op.size - j - l * vector);
		}
	}
}

template <bool whole> struct wkv6 {
	static constexpr int states = 5; // the source that has them, after all others
	static void advance(const wkv_op &op, int64_t head, int64_t token, const float *from, float *to) {
		advance_by_keys<whole>(op, head, token, from, to, tensor_at<float>(op.op->src[3], head, 0, 0), op.of(4, head, token), 1);
	}
};

template <bool whole> struct gated_linear_attn {
	static constexpr int states = 4;
	static void advance(const wkv_op &op, int64_t head, int64_t token, const float *from, float *to) {
		float scale;
		memcpy(&scale, op.op->op_params, sizeof scale);
		advance_by_keys<whole>(op, head, token, from, to, nullptr, op.of(3, head, token), scale);
	}
};

// Rows of states belong to places of the value. What a token finds in a row is taken in as well, times another vector of it.
template <bool whole> struct wkv7 {
	static constexpr int states = 6;
	static void advance(const wkv_op &op, int64_t head, int64_t token, const float *from, float *to) {
		const float *asked = op.of(0, head, token), *decay = op.of(1, head, token), *keys = op.of(2, head, token);
		const float *values = op.of(3, head, token), *finds = op.of(4, head, token), *takes = op.of(5, head, token);
		for (int64_t row = 0; row < op.size; row++, from += op.size, to += op.size) {
			four_sums found, sums;
			each_of_four(op.size, [&](int64_t i, int j) {
				found.sum[j] = fmadd(read<whole>(finds + i, op.size - i), read<whole>(from + i, op.size - i), found.sum[j]);
			});
			const f32x16 value = broadcast(values[row]), find = broadcast(found.total());
			each_of_four(op.size, [&](int64_t i, int j) {
				const int64_t count = op.size - i;
				const f32x16 taken = mul(value, read<whole>(keys + i, count));
				const f32x16 kept = fmadd(read<whole>(from + i, count), read<whole>(decay + i, count), taken);
				const f32x16 state = fmadd(find, read<whole>(takes + i, count), kept);
				sums.sum[j] = fmadd(state, read<whole>(asked + i, count), sums.sum[j]);
				write<whole>(to + i, state, count);
			});
			op.output(head, token)[row] = sums.total();
		}
	}
};

// Computes such an operation. All threads call it, each for some heads.
template <class kind> void wkv(const compute_params *params, ggml_tensor *op) {
	wkv_op(op, op->src[kind::states]).compute<kind>(params);
}

template <template <bool> class kind> operation wkv_for(const ggml_tensor *op) {
	const auto plain = [](const ggml_tensor *t) { return has_rows_of_floats(t); };
	if (!std::all_of(op->src, op->src + kind<true>::states + 1, plain)) {
		return nullptr;
	}
	return op->src[0]->ne[0] % (4 * vector) == 0 ? wkv<kind<true>> : wkv<kind<false>>;
}

} // namespace kernels::PROCTOR_LEVEL
