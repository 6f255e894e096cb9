#include "rope_angles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "ggml.h"

namespace kernels {
namespace {

// What an operation says of its angles.
struct parameters {
	int32_t past, size, mode, context, trained;
	float base, scale, extrapolation, magnitude, beta_fast, beta_slow;
};

parameters parameters_of(const ggml_tensor *op) {
	parameters p;
	memcpy(&p, op->op_params, sizeof p);
	return p;
}

// The angles of a token's pairs, by their cosines and sines.
class angles {
	parameters p = {};
	std::vector<float> factors; // by which frequencies are divided; none: by 1
	std::vector<int32_t> positions;
	std::vector<float> table;

	// How much of a pair's angle is not interpolated: https://arxiv.org/abs/2309.00071.
	float ramp(int64_t pair, const float (&range)[2]) const {
		const float y = ((float) pair - range[0]) / std::max(0.001f, range[1] - range[0]);
		return (1 - std::clamp(y, 0.0f, 1.0f)) * p.extrapolation;
	}

	void turn(int32_t position, bool halves, float *cosines, float *sines) const {
		const float next = std::pow(p.base, -2.0f / (float) p.size);
		float range[2], magnitude = p.magnitude, angle = (float) position;
		if (p.extrapolation != 0) {
			ggml_rope_yarn_corr_dims(p.size, p.trained, p.base, p.beta_fast, p.beta_slow, range);
			magnitude *= std::fma(0.1f, std::log(1 / p.scale), 1.0f);
		}
		for (int32_t i = 0; i < p.size / 2; i++, angle *= next) {
			const float full = factors.empty() ? angle : angle / factors[i];
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
		}
	}

  public:
	const float *of(const ggml_tensor *op, int64_t first, int64_t end) {
		const parameters asked = parameters_of(op);
		const int32_t *from = (const int32_t *) op->src[1]->data;
		const float *divisors = op->src[2] == nullptr ? nullptr : (const float *) op->src[2]->data;
		const int64_t divided = divisors == nullptr ? 0 : asked.size / 2;
		const bool same = std::equal(positions.begin(), positions.end(), from + first, from + end) &&
			memcmp(&p, &asked, sizeof p) == 0 && std::equal(factors.begin(), factors.end(), divisors, divisors + divided);
		if (same) {
			return table.data();
		}
		p = asked;
		positions.assign(from + first, from + end);
		factors.assign(divisors, divisors + divided);
		const rope_op rope(op);
		table.resize(2 * rope.angles() * (end - first));
		float *to = table.data();
		for (int32_t position : positions) {
			turn(position, rope.halves, to, to + rope.angles());
			to += 2 * rope.angles();
		}
		return table.data();
	}
};

} // namespace

rope_op::rope_op(const ggml_tensor *op) {
	const parameters p = parameters_of(op);
	size = p.size;
	halves = p.mode == GGML_ROPE_TYPE_NEOX;
}

bool rope_op::takes(const ggml_tensor *op) {
	auto readable = [](const ggml_tensor *t) { return t->type == GGML_TYPE_F32 && t->nb[0] == sizeof(float); };
	if (op->op != GGML_OP_ROPE || !readable(op) || !readable(op->src[0]) || op->ne[0] % 16 != 0) {
		return false;
	}
	const int32_t mode = parameters_of(op).mode;
	return (mode == GGML_ROPE_TYPE_NORMAL || mode == GGML_ROPE_TYPE_NEOX) && rope_op(op).angles() % 16 == 0;
}

const float *rope_angles_of(const ggml_tensor *op, int64_t first, int64_t end) {
	static thread_local angles held;
	return held.of(op, first, end);
}

} // namespace kernels
