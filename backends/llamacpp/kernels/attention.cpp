#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)

#include "attention.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"
#include "vec.h"

// Queries of all heads that share keys are computed together, a block of 64 cells of the cache at a time: the block is
// converted to floats once for all of them, the keys turned so that a vector holds one place of 16 keys. The softmax is
// carried along: https://arxiv.org/abs/1805.02867. A query's result does not depend on the queries beside it.

namespace kernels {
namespace {

constexpr int vector = 16; // floats
constexpr int block = 64;  // cells
constexpr int most = 128;  // queries computed together

// Computes c = a × b, or adds it to c, for n rows of a and four vectors' width of b and c. a is n × k.
template <int n> void multiply(const float *a, int64_t stride, int64_t k, const float *b, int64_t width, float *c, int64_t room, bool add) {
	__m512 sum[n][4];
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < 4; j++) {
			sum[i][j] = add ? _mm512_loadu_ps(c + i * room + j * vector) : _mm512_setzero_ps();
		}
	}
	for (int64_t l = 0; l < k; l++) {
		__m512 row[4];
		for (int j = 0; j < 4; j++) {
			row[j] = _mm512_loadu_ps(b + l * width + j * vector);
		}
		for (int i = 0; i < n; i++) {
			__m512 one = _mm512_set1_ps(a[i * stride + l]);
			for (int j = 0; j < 4; j++) {
				sum[i][j] = _mm512_fmadd_ps(one, row[j], sum[i][j]);
			}
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < 4; j++) {
			_mm512_storeu_ps(c + i * room + j * vector, sum[i][j]);
		}
	}
}

// Computes c = a × b, or adds it to c: a is rows × k, b is k × width, width being a multiple of block.
void multiply(const float *a, int64_t rows, int64_t k, const float *b, int64_t width, float *c, bool add) {
	for (int64_t j = 0; j < width; j += block) {
		for (int64_t i = 0; i < rows; i += 4) {
			const float *from = a + i * k;
			float *to = c + i * width + j;
			switch (rows - i) {
			case 1: multiply<1>(from, k, k, b + j, width, to, width, add); break;
			case 2: multiply<2>(from, k, k, b + j, width, to, width, add); break;
			case 3: multiply<3>(from, k, k, b + j, width, to, width, add); break;
			default: multiply<4>(from, k, k, b + j, width, to, width, add);
			}
		}
	}
}

// Turns 16 × 16 floats: to[j][i] = from[i][j].
void turn(const float *from, int64_t stride, float *to, int64_t room) {
	__m512 r[16], t[16];
	for (int i = 0; i < 16; i++) {
		r[i] = _mm512_loadu_ps(from + i * stride);
	}
	for (int i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < 16; i += 4) {
		for (int j = 0; j < 2; j++) {
			__m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + 2 + j]);
			r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
			r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
		}
	}
	for (int i = 0; i < 4; i++) { // r[i], r[4 + i], …: places i, 4 + i, 8 + i, 12 + i of rows 0…3, 4…7, …
		__m512 a = _mm512_shuffle_f32x4(r[i], r[4 + i], 0x88), b = _mm512_shuffle_f32x4(r[i], r[4 + i], 0xdd);
		__m512 c = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0x88), d = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0xdd);
		_mm512_storeu_ps(to + i * room, _mm512_shuffle_f32x4(a, c, 0x88));
		_mm512_storeu_ps(to + (4 + i) * room, _mm512_shuffle_f32x4(b, d, 0x88));
		_mm512_storeu_ps(to + (8 + i) * room, _mm512_shuffle_f32x4(a, c, 0xdd));
		_mm512_storeu_ps(to + (12 + i) * room, _mm512_shuffle_f32x4(b, d, 0xdd));
	}
}

// What an operation asks for.
struct task {
	const ggml_tensor *q, *k, *v, *mask, *sinks;
	ggml_tensor *out;
	float scale, bias, cap;
	int64_t wide, tall; // of keys and of values, both rounded up to whole blocks
	int64_t sharing;    // heads that share keys
	int64_t tokens;     // whose queries are computed together
	int64_t turns;      // of tokens, for a head of keys

	task(ggml_tensor *op, int threads) : q(op->src[0]), k(op->src[1]), v(op->src[2]), mask(op->src[3]), sinks(op->src[4]), out(op) {
		memcpy(&scale, op->op_params, sizeof scale);
		memcpy(&bias, op->op_params + 1, sizeof bias);
		memcpy(&cap, op->op_params + 2, sizeof cap);
		scale /= cap != 0 ? cap : 1;
		wide = k->ne[0];
		tall = (v->ne[0] + block - 1) / block * block;
		sharing = q->ne[2] / k->ne[2];
		int64_t parts = k->ne[2] * q->ne[3];
		int64_t fair = (q->ne[1] * parts + 2 * threads - 1) / (2 * threads); // so that every thread has two turns
		tokens = std::clamp<int64_t>(std::min(fair, most / sharing), 1, q->ne[1]);
		turns = (q->ne[1] + tokens - 1) / tokens;
	}

	int64_t rows() const { return tokens * sharing; }

	// Floats of a thread's own memory.
	size_t room() const { return rows() * (wide + tall + block + 2) + block * (wide + tall) + block * std::max(wide, tall); }

	// The slope of a head's bias: https://arxiv.org/abs/2108.12409.
	float slope(int64_t head) const {
		if (bias <= 0) {
			return 1;
		}
		int64_t power = (int64_t) 1 << (int) std::floor(std::log2((float) q->ne[2]));
		return head < power ? std::pow(std::exp2(-bias / power), (float) (head + 1)) : std::pow(std::exp2(-bias / 2 / power), (float) (2 * (head - power) + 1));
	}
};

template <class T> const T *at(const ggml_tensor *t, int64_t i1, int64_t i2, int64_t i3) {
	return (const T *) ((const char *) t->data + i1 * t->nb[1] + i2 * t->nb[2] + i3 * t->nb[3]);
}

// Reads rows of a tensor as floats, stride apart; those from end on are 0.
void read(const ggml_tensor *t, int64_t first, int64_t end, int64_t head, int64_t stream, float *to, int64_t stride) {
	auto convert = ggml_get_type_traits(t->type)->to_float;
	for (int64_t i = 0; i < block; i++, to += stride) {
		const void *row = at<void>(t, first + i, head, stream);
		if (first + i >= end) {
			memset(to, 0, stride * sizeof(float));
		} else if (t->type == GGML_TYPE_F16) {
			for (int64_t j = 0; j < t->ne[0]; j += vector) {
				_mm512_storeu_ps(to + j, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) ((const ggml_fp16_t *) row + j))));
			}
		} else {
			convert(row, to, t->ne[0]);
		}
	}
}

// Asks for rows that read will want.
void ask(const ggml_tensor *t, int64_t first, int64_t end, int64_t head, int64_t stream) {
	const int64_t size = (int64_t) ggml_row_size(t->type, t->ne[0]);
	for (int64_t i = first; i < std::min(end, t->ne[1]); i++) {
		for (int64_t j = 0; j < size; j += 64) {
			_mm_prefetch(at<char>(t, i, head, stream) + j, _MM_HINT_T1);
		}
	}
}

// Computes the queries of some tokens with one head of keys, in a thread's own memory.
void compute(const task &t, int64_t stream, int64_t head, int64_t token, float *memory) {
	const int64_t tokens = std::min(t.tokens, t.q->ne[1] - token), rows = tokens * t.sharing, cells = t.k->ne[1];
	float *query = memory, *sum = query + t.rows() * t.wide, *score = sum + t.rows() * t.tall;
	float *top = score + t.rows() * block, *total = top + t.rows();
	float *keys = total + t.rows(), *values = keys + block * t.wide, *flat = values + block * t.tall;

	// Row r is head r % sharing of token r / sharing.
	for (int64_t r = 0; r < rows; r++) {
		const float *from = at<float>(t.q, token + r / t.sharing, head * t.sharing + r % t.sharing, stream);
		for (int64_t i = 0; i < t.wide; i++) {
			query[r * t.wide + i] = from[i] * t.scale;
		}
		top[r] = -INFINITY;
		total[r] = 0;
	}
	memset(sum, 0, rows * t.tall * sizeof(float));

	for (int64_t cell = 0; cell < cells; cell += block) {
		const int64_t some = std::min<int64_t>(block, cells - cell);
		if (t.mask != nullptr) { // a block that no token sees, as beyond the end of the cache
			bool seen = false;
			for (int64_t i = 0; i < tokens && !seen; i++) {
				auto *m = (const uint16_t *) at<void>(t.mask, token + i, 0, stream % t.mask->ne[3]) + cell;
				seen = std::any_of(m, m + some, [](uint16_t half) { return half != 0xfc00; });
			}
			if (!seen) {
				continue;
			}
		}
		read(t.k, cell, cell + some, head, stream, flat, t.wide);
		for (int64_t i = 0; i < block; i += vector) {
			for (int64_t j = 0; j < t.wide; j += vector) {
				const int64_t next = cell + block + i + j * vector / t.wide, end = cell + block + i + (j + vector) * vector / t.wide;
				ask(t.k, next, end, head, stream);
				ask(t.v, next, end, head, stream);
				turn(flat + i * t.wide + j, t.wide, keys + j * block + i, block);
			}
		}
		read(t.v, cell, cell + some, head, stream, values, t.tall);
		multiply(query, rows, t.wide, keys, block, score, false);

		for (int64_t r = 0; r < rows; r++) {
			const int64_t h = head * t.sharing + r % t.sharing;
			float *s = score + r * block;
			if (t.cap != 0) {
				for (int64_t i = 0; i < block; i++) {
					s[i] = t.cap * std::tanh(s[i]);
				}
			}
			const ggml_fp16_t *m = t.mask == nullptr ? nullptr
				: at<ggml_fp16_t>(t.mask, token + r / t.sharing, h % t.mask->ne[2], stream % t.mask->ne[3]) + cell;
			const __m512 slope = _mm512_set1_ps(t.slope(h));
			__m512 v[block / vector], peak = _mm512_set1_ps(-INFINITY);
			for (int64_t i = 0; i < block / vector; i++) {
				__mmask16 there = (__mmask16) ((1u << std::clamp<int64_t>(some - i * vector, 0, vector)) - 1);
				v[i] = _mm512_mask_blend_ps(there, _mm512_set1_ps(-INFINITY), _mm512_loadu_ps(s + i * vector));
				if (m != nullptr) {
					__m512 bias = _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(there, m + i * vector));
					v[i] = _mm512_fmadd_ps(slope, bias, v[i]);
				}
				peak = _mm512_max_ps(peak, v[i]);
			}
			const float before = top[r], now = std::max(before, _mm512_reduce_max_ps(peak));
			if (now == -INFINITY) { // this token sees nothing yet
				memset(s, 0, block * sizeof(float));
				continue;
			}
			__m512 all = _mm512_setzero_ps();
			for (int64_t i = 0; i < block / vector; i++) {
				v[i] = ggml_v_expf(_mm512_sub_ps(v[i], _mm512_set1_ps(now)));
				all = _mm512_add_ps(all, v[i]);
				_mm512_storeu_ps(s + i * vector, v[i]);
			}
			if (now > before) {
				const float shrink = std::exp(before - now);
				for (int64_t i = 0; i < t.tall; i++) {
					sum[r * t.tall + i] *= shrink;
				}
				total[r] *= shrink;
				top[r] = now;
			}
			total[r] += _mm512_reduce_add_ps(all);
		}
		multiply(score, rows, block, values, t.tall, sum, true);
	}

	for (int64_t r = 0; r < rows; r++) {
		const int64_t h = head * t.sharing + r % t.sharing;
		float shrink = 1;
		if (t.sinks != nullptr) { // a score without a value
			const float sink = ((const float *) t.sinks->data)[h], now = std::max(top[r], sink);
			shrink = std::exp(top[r] - now);
			total[r] = total[r] * shrink + std::exp(sink - now);
		}
		const float inverse = total[r] == 0 ? 0 : shrink / total[r];
		auto *to = (float *) ((char *) t.out->data + ((stream * t.out->ne[2] + token + r / t.sharing) * t.out->ne[1] + h) * t.out->nb[1]);
		for (int64_t i = 0; i < t.v->ne[0]; i++) {
			to[i] = sum[r * t.tall + i] * inverse;
		}
	}
}

} // namespace

bool attention_takes(const ggml_tensor *op) {
	const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
	auto readable = [](const ggml_tensor *t) { return t->type != GGML_TYPE_F32 && ggml_get_type_traits(t->type)->to_float != nullptr && t->ne[0] % vector == 0; };
	return readable(k) && readable(v) && q->type == GGML_TYPE_F32 && q->ne[2] / k->ne[2] <= most &&
		q->ne[2] % k->ne[2] == 0 && k->ne[2] == v->ne[2] && q->ne[3] == k->ne[3] && q->ne[3] == v->ne[3] &&
		(mask == nullptr || mask->type == GGML_TYPE_F16);
}

size_t attention_work_size(int threads, const ggml_tensor *op) {
	return task(const_cast<ggml_tensor *>(op), threads).room() * sizeof(float) * threads;
}

void attention(const ggml_compute_params *params, ggml_tensor *op) {
	const task t(op, params->nth);
	const int64_t heads = t.k->ne[2], units = t.q->ne[3] * heads * t.turns;
	float *memory = (float *) params->wdata + params->ith * t.room();
	if (params->ith == 0) {
		ggml_threadpool_chunk_set(params->threadpool, params->nth);
	}
	ggml_barrier(params->threadpool);
	for (int64_t unit = params->ith; unit < units; unit = ggml_threadpool_chunk_add(params->threadpool, 1)) {
		compute(t, unit / t.turns / heads, unit / t.turns % heads, unit % t.turns * t.tokens, memory);
	}
}

} // namespace kernels

#endif
