#include "cpu.h"

#ifdef PROCTOR_KERNELS

#include "flash_attn.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"
#include "prefix_groups.h"
#include "vec.h"

// Queries of all heads that share keys are computed together, a block of 64 cells of the cache at a time: the block is
// converted to floats once for all of them, the keys turned so that a vector holds one place of 16 keys. Where streams
// begin with the same cells, so are the queries of all of these streams, as far as that goes. The softmax is carried
// along: https://arxiv.org/abs/1805.02867. A query's result does not depend on the queries beside it.

namespace kernels {
namespace {

constexpr int vector = 16; // floats
constexpr int block = 64;  // cells
constexpr int most = 128;  // queries computed together

// A score so far below another one has no weight. The weight would be too small for a normal float, and the CPU is slow
// with those.
constexpr float nothing = -80;

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

template <class T> const T *at(const ggml_tensor *t, int64_t i1, int64_t i2, int64_t i3) {
	return (const T *) ((const char *) t->data + i1 * t->nb[1] + i2 * t->nb[2] + i3 * t->nb[3]);
}

// What an operation asks for.
struct task {
	const ggml_tensor *q, *k, *v, *mask, *sinks;
	ggml_tensor *out;
	float scale, bias, cap;
	int64_t wide, tall; // of keys and of values, the latter rounded up to whole blocks
	int64_t group;      // heads that share keys
	int64_t tokens;     // of a stream whose queries are computed together
	int64_t streams;    // and of how many streams at most

	task(ggml_tensor *op, int threads) : q(op->src[0]), k(op->src[1]), v(op->src[2]), mask(op->src[3]), sinks(op->src[4]), out(op) {
		memcpy(&scale, op->op_params, sizeof scale);
		memcpy(&bias, op->op_params + 1, sizeof bias);
		memcpy(&cap, op->op_params + 2, sizeof cap);
		scale /= cap != 0 ? cap : 1;
		wide = k->ne[0];
		tall = (v->ne[0] + block - 1) / block * block;
		group = q->ne[2] / k->ne[2];
		// Every thread is to have two turns at least.
		const int64_t turns = 2 * threads, heads = k->ne[2], all = q->ne[3];
		tokens = std::clamp<int64_t>(std::min((q->ne[1] * heads * all + turns - 1) / turns, most / group), 1, q->ne[1]);
		streams = std::clamp<int64_t>(std::min(heads * all / turns, most / group / tokens), 1, all);
	}

	int64_t rows() const { return streams * tokens * group; }

	// Floats of a thread's own memory.
	size_t room() const { return rows() * (wide + tall + block + 2) + block * (wide + tall) + block * wide; }

	// The slope of a head's bias: https://arxiv.org/abs/2108.12409.
	float slope(int64_t head) const {
		if (bias <= 0) {
			return 1;
		}
		int64_t power = (int64_t) 1 << (int) std::floor(std::log2((float) q->ne[2]));
		return head < power ? std::pow(std::exp2(-bias / power), (float) (head + 1)) : std::pow(std::exp2(-bias / 2 / power), (float) (2 * (head - power) + 1));
	}

	const ggml_fp16_t *mask_of(int64_t token, int64_t stream) const {
		return mask == nullptr ? nullptr : at<ggml_fp16_t>(mask, token, 0, stream % mask->ne[3]);
	}
};

// Reads a block of a tensor's rows as floats, stride apart; those from end on are 0.
void read(const ggml_tensor *t, int64_t first, int64_t end, int64_t head, int64_t stream, float *to, int64_t stride) {
	auto convert = ggml_get_type_traits(t->type)->to_float;
	for (int64_t i = first; i < first + block; i++, to += stride) {
		const void *row = at<void>(t, i, head, stream);
		if (i >= end) {
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

// Queries that go through the cache together: those of some tokens of some streams, with one head of keys. Row r is that
// of head r % group, of token r / group % tokens, of stream r / group / tokens.
class pass {
	const task &t;
	const int64_t *streams, token, tokens, head, rows; // rows of a stream
	float *query, *sum, *score, *top, *total;          // of each row
	float *keys, *values, *flat;                       // of a block

  public:
	// The memory is a thread's own.
	pass(const task &t, const int64_t *streams, int64_t count, int64_t token, int64_t head, float *memory)
		: t(t), streams(streams), token(token), tokens(std::min(t.tokens, t.q->ne[1] - token)), head(head), rows(tokens * t.group) {
		query = memory;
		sum = query + t.rows() * t.wide;
		score = sum + t.rows() * t.tall;
		top = score + t.rows() * block;
		total = top + t.rows();
		keys = total + t.rows();
		values = keys + block * t.wide;
		flat = values + block * t.tall;
		for (int64_t r = 0; r < count * rows; r++) {
			const float *from = at<float>(t.q, token + r / t.group % tokens, head * t.group + r % t.group, streams[r / rows]);
			for (int64_t i = 0; i < t.wide; i++) {
				query[r * t.wide + i] = from[i] * t.scale;
			}
			top[r] = -INFINITY;
			total[r] = 0;
		}
		memset(sum, 0, count * rows * t.tall * sizeof(float));
	}

	// Goes through cells of one of the streams, with the queries of streams from … to.
	void go(int64_t first, int64_t end, int64_t stream, int64_t from, int64_t to) {
		for (int64_t cell = first; cell < end; cell += block) {
			const int64_t some = std::min(cell + block, end);
			if (!seen(cell, some, from, to)) {
				continue;
			}
			read(t.k, cell, some, head, stream, flat, t.wide);
			for (int64_t i = 0; i < block; i += vector) {
				for (int64_t j = 0; j < t.wide; j += vector) {
					const int64_t next = cell + block + i;
					ask(t.k, next + j * vector / t.wide, next + (j + vector) * vector / t.wide, head, stream);
					ask(t.v, next + j * vector / t.wide, next + (j + vector) * vector / t.wide, head, stream);
					turn(flat + i * t.wide + j, t.wide, keys + j * block + i, block);
				}
			}
			read(t.v, cell, some, head, stream, values, t.tall);
			const int64_t n = (to - from) * rows;
			multiply(query + from * rows * t.wide, n, t.wide, keys, block, score, false);
			for (int64_t s = from; s < to; s++) {
				for (int64_t i = 0; i < tokens; i++) {
					weigh(s, i, cell, some, score + ((s - from) * rows + i * t.group) * block);
				}
			}
			multiply(score, n, block, values, t.tall, sum + from * rows * t.tall, true);
		}
	}

	// Writes the results of so many streams.
	void end(int64_t count) {
		for (int64_t r = 0; r < count * rows; r++) {
			const int64_t h = head * t.group + r % t.group;
			float shrink = 1;
			if (t.sinks != nullptr) { // a score without a value
				const float sink = ((const float *) t.sinks->data)[h], now = std::max(top[r], sink);
				shrink = std::exp(top[r] - now);
				total[r] = total[r] * shrink + std::exp(sink - now);
			}
			const float inverse = total[r] == 0 ? 0 : shrink / total[r];
			auto *to = (float *) ((char *) t.out->data + ((streams[r / rows] * t.out->ne[2] + token + r / t.group % tokens) * t.out->ne[1] + h) * t.out->nb[1]);
			for (int64_t i = 0; i < t.v->ne[0]; i++) {
				to[i] = sum[r * t.tall + i] * inverse;
			}
		}
	}

  private:
	// Says whether a token sees any of the cells; none does beyond the end of a text.
	bool seen(int64_t cell, int64_t end, int64_t from, int64_t to) const {
		for (int64_t s = from; s < to; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				const ggml_fp16_t *mask = t.mask_of(token + i, streams[s]);
				if (mask == nullptr || std::any_of(mask + cell, mask + end, [](ggml_fp16_t half) { return half != 0xfc00; })) {
					return true;
				}
			}
		}
		return false;
	}

	// Makes weights of the scores that a token's queries have for a block.
	void weigh(int64_t s, int64_t i, int64_t cell, int64_t end, float *scores) {
		constexpr int vectors = block / vector;
		const ggml_fp16_t *mask = t.mask_of(token + i, streams[s]);
		__m512 bias[vectors];
		for (int j = 0; j < vectors; j++) {
			auto there = (__mmask16) ((1u << std::clamp<int64_t>(end - cell - j * vector, 0, vector)) - 1);
			__m512 value = mask == nullptr ? _mm512_setzero_ps() : _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(there, mask + cell + j * vector));
			bias[j] = _mm512_mask_blend_ps(there, _mm512_set1_ps(-INFINITY), value);
		}
		int64_t r = s * rows + i * t.group;
		for (int64_t h = head * t.group; h < (head + 1) * t.group; h++, r++, scores += block) {
			if (t.cap != 0) {
				for (int64_t c = 0; c < block; c++) {
					scores[c] = t.cap * std::tanh(scores[c]);
				}
			}
			const __m512 slope = _mm512_set1_ps(t.slope(h));
			__m512 v[vectors], peak = _mm512_set1_ps(-INFINITY);
			for (int j = 0; j < vectors; j++) {
				v[j] = _mm512_fmadd_ps(slope, bias[j], _mm512_loadu_ps(scores + j * vector));
				peak = _mm512_max_ps(peak, v[j]);
			}
			const float before = top[r], now = std::max(before, _mm512_reduce_max_ps(peak));
			if (now == -INFINITY) { // it has not seen anything yet
				memset(scores, 0, block * sizeof(float));
				continue;
			}
			__m512 all = _mm512_setzero_ps();
			for (int j = 0; j < vectors; j++) {
				const __m512 down = _mm512_sub_ps(v[j], _mm512_set1_ps(now));
				v[j] = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(down, _mm512_set1_ps(nothing), _CMP_NLE_UQ), ggml_v_expf(down));
				all = _mm512_add_ps(all, v[j]);
				_mm512_storeu_ps(scores + j * vector, v[j]);
			}
			if (now > before) {
				const float shrink = std::exp(before - now);
				for (int64_t c = 0; c < t.tall; c++) {
					sum[r * t.tall + c] *= shrink;
				}
				total[r] *= shrink;
				top[r] = now;
			}
			total[r] += _mm512_reduce_add_ps(all);
		}
	}
};

// Streams that go through the cache together.
struct party {
	int64_t first, count; // in the order of the streams
	int64_t shared;       // cells, whole blocks, that all have in common
};

// Forms parties of an operation's streams: those that share cells, as far as the task lets them go together.
struct parties {
	static constexpr int64_t room = 256; // LLAMA_MAX_SEQ
	int64_t order[room];
	party all[room];
	int64_t count = 0;

	parties(const task &t, const sharing &known) {
		const int64_t streams = t.k->ne[3], cells = t.k->ne[1];
		const int64_t base = t.k->view_src == nullptr ? 0 : (int64_t) (t.k->view_offs / t.k->nb[3]); // the first stream's number in the cache
		bool placed[room] = {};
		int64_t n = 0;
		for (int64_t s = 0; s < streams; s++) {
			if (placed[s]) {
				continue;
			}
			party one = {n, 1, 0};
			order[n++] = s;
			const int32_t leader = known.leader(base + s);
			for (int64_t other = s + 1; other < streams && leader >= 0; other++) {
				if (placed[other] || known.leader(base + other) != leader) {
					continue;
				}
				if (one.count == t.streams) {
					all[count++] = one;
					one = {n, 0, 0};
				}
				placed[other] = true;
				order[n++] = other;
				one.count++;
				one.shared = std::min<int64_t>(known.length(leader), cells) / block * block;
			}
			all[count++] = one;
		}
	}
};

} // namespace

bool attention_takes(const ggml_tensor *op) {
	const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
	auto readable = [](const ggml_tensor *t) { return t->type != GGML_TYPE_F32 && ggml_get_type_traits(t->type)->to_float != nullptr && t->ne[0] % vector == 0; };
	return readable(k) && readable(v) && q->type == GGML_TYPE_F32 && q->ne[2] / k->ne[2] <= most &&
		q->ne[2] % k->ne[2] == 0 && k->ne[2] == v->ne[2] && q->ne[3] == k->ne[3] && q->ne[3] == v->ne[3] && q->ne[3] <= parties::room &&
		(mask == nullptr || (mask->type == GGML_TYPE_F16 && mask->ne[2] == 1));
}

size_t attention_work_size(int threads, const ggml_tensor *op) {
	return task(const_cast<ggml_tensor *>(op), threads).room() * sizeof(float) * threads;
}

bool attention(const ggml_compute_params *params, ggml_tensor *op) {
	const sharing *known = sharing_of(params->threadpool);
	if (known == nullptr) {
		return false;
	}
	const task t(op, params->nth);
	const parties parties(t, *known);
	const int64_t heads = t.k->ne[2], cells = t.k->ne[1], turns = (t.q->ne[1] + t.tokens - 1) / t.tokens;
	float *memory = (float *) params->wdata + params->ith * t.room();
	if (params->ith == 0) {
		ggml_threadpool_chunk_set(params->threadpool, params->nth);
	}
	ggml_barrier(params->threadpool);
	for (int64_t i = params->ith; i < parties.count * heads * turns; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
		const party &p = parties.all[i / turns / heads];
		const int64_t *streams = parties.order + p.first;
		pass pass(t, streams, p.count, i % turns * t.tokens, i / turns % heads, memory);
		pass.go(0, p.shared, streams[0], 0, p.count);
		for (int64_t s = 0; s < p.count; s++) {
			pass.go(p.shared, cells, streams[s], s, s + 1);
		}
		pass.end(p.count);
	}
	return true;
}

} // namespace kernels

#endif
