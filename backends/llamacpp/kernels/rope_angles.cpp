#include "rope_angles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "ggml.h"

namespace kernels {
namespace {

// What an operation says of its angles.
struct parameters {
	int32_t past, size, mode, context, trained;
	float base, scale, extrapolation, magnitude, beta_fast, beta_slow;
	int32_t sections[4]; // pairs that turn by each of a token's positions

	int64_t positions() const { return mode & GGML_ROPE_TYPE_MROPE ? 4 : 1; }

	// Returns by which of its token's positions a pair turns, as ggml does.
	int position_of(int32_t pair) const {
		if (positions() == 1) {
			return 0;
		}
		const int32_t place = pair % std::accumulate(sections, sections + 4, 0);
		if (mode == GGML_ROPE_TYPE_IMROPE) {
			const int next = place % 3;
			return place < next + 3 * sections[next] ? next : 0;
		}
		int of = 0;
		for (int32_t end = sections[0]; of < 3 && place >= end; end += sections[of]) {
			of++;
		}
		return of;
	}
};

parameters parameters_of(const ggml_tensor *op) {
	parameters p;
	memcpy(&p, op->op_params, sizeof p);
	return p;
}

// The angles of a token's pairs, by their cosines and sines.
class angles {
	parameters p = {};
	std::vector<float> factors;     // by which frequencies are divided; none: by 1
	std::vector<int32_t> positions; // of all tokens, and then their next ones
	std::vector<float> table;

	// How much of a pair's angle is not interpolated: https://arxiv.org/abs/2309.00071.
	float ramp(int64_t pair, const float (&range)[2]) const {
		const float y = ((float) pair - range[0]) / std::max(0.001f, range[1] - range[0]);
		return (1 - std::clamp(y, 0.0f, 1.0f)) * p.extrapolation;
	}

	void turn(const int32_t *token, int64_t tokens, bool halves, float *cosines, float *sines) const {
		const float next = std::pow(p.base, -2.0f / (float) p.size);
		float range[2], magnitude = p.magnitude, angles[4] = {};
		for (int64_t i = 0; i < p.positions(); i++) {
			angles[i] = (float) token[i * tokens];
		}
		if (p.extrapolation != 0) {
			ggml_rope_yarn_corr_dims(p.size, p.trained, p.base, p.beta_fast, p.beta_slow, range);
			magnitude *= std::fma(0.1f, std::log(1 / p.scale), 1.0f);
		}
		for (int32_t i = 0; i < p.size / 2; i++) {
			const float angle = angles[p.position_of(i)], full = factors.empty() ? angle : angle / factors[i];
			float turned = full * p.scale;
			if (p.extrapolation != 0) {
				const float part = ramp(i, range);
				turned = std::fma(full, part, turned * (1 - part));
			}
			const float cosine = std::cos(turned) * magnitude, sine = std::sin(turned) * magnitude;
			if (halves) {
				cosines[i] = cosine;
				sines[i] = sine;
			} else {
				cosines[2 * i] = cosines[2 * i + 1] = cosine;
				sines[2 * i] = -sine;
				sines[2 * i + 1] = sine;
			}
			for (float &one : angles) {
				one *= next;
			}
		}
	}

  public:
	const float *of(const ggml_tensor *op, int64_t first, int64_t end) {
		const parameters asked = parameters_of(op);
		const int32_t *from = (const int32_t *) op->src[1]->data + first;
		const float *divisors = op->src[2] == nullptr ? nullptr : (const float *) op->src[2]->data;
		const int64_t divided = divisors == nullptr ? 0 : asked.size / 2, tokens = end - first;
		bool same = memcmp(&p, &asked, sizeof p) == 0 &&
			std::equal(factors.begin(), factors.end(), divisors, divisors + divided) &&
			(int64_t) positions.size() == asked.positions() * tokens;
		for (int64_t i = 0; same && i < asked.positions(); i++) {
			same = std::equal(from + i * op->ne[2], from + i * op->ne[2] + tokens, positions.begin() + i * tokens);
		}
		if (same) {
			return table.data();
		}
		p = asked;
		positions.clear();
		for (int64_t i = 0; i < p.positions(); i++) {
			positions.insert(positions.end(), from + i * op->ne[2], from + i * op->ne[2] + tokens);
		}
		factors.assign(divisors, divisors + divided);
		const rope_op rope(op);
		table.resize(2 * rope.angles() * tokens);
		for (int64_t i = 0; i < tokens; i++) {
			float *to = table.data() + 2 * rope.angles() * i;
			turn(positions.data() + i, tokens, rope.halves, to, to + rope.angles());
		}
		return table.data();
	}
};

} // namespace

rope_op::rope_op(const ggml_tensor *op) {
	const parameters p = parameters_of(op);
	size = p.size;
	halves = p.mode != GGML_ROPE_TYPE_NORMAL;
}

bool rope_op::takes(const ggml_tensor *op) {
	auto readable = [](const ggml_tensor *t) { return t->type == GGML_TYPE_F32 && t->nb[0] == sizeof(float); };
	const bool of_images = parameters_of(op).mode == GGML_ROPE_TYPE_VISION; // which no text has
	return op->op == GGML_OP_ROPE && !of_images && readable(op) && readable(op->src[0]);
}

const float *rope_angles_of(const ggml_tensor *op, int64_t first, int64_t end) {
	static thread_local angles held;
	return held.of(op, first, end);
}

} // namespace kernels
