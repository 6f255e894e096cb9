#include "scalar.h"

#include <algorithm>
#include <cmath>

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

float proctor_scalar_exp(float x) {
	if (!(x > -87) || !(x < 88.37f)) {
		return x >= 88.37f ? INFINITY : x <= -87 ? 0 : x;
	}
	const float n = std::fma(x, 0x1.715476p+0f, 0x1.8p23f) - 0x1.8p23f;
	const float b = std::fma(-n, 0x1.7f7d1cp-20f, std::fma(-n, 0x1.62e4p-1f, x));
	float p = 1.0f / 5040;
	for (float next : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2}) {
		p = std::fma(p, b, next);
	}
	const float scale = std::ldexp(1.0f, (int) n);
	return std::fma(std::fma(b * b, p, b), scale, scale);
}

float proctor_scalar_sigmoid(float x) { return 1 / (1 + proctor_scalar_exp(-x)); }

float proctor_scalar_silu(float x) { return x / (1 + proctor_scalar_exp(-x)); }

float proctor_scalar_softplus(float x) {
	const float y = proctor_scalar_exp(-std::fabs(x)), s = y / (2 + y), s2 = s * s;
	float p = 2.0f / 17;
	for (float next : {2.0f / 15, 2.0f / 13, 2.0f / 11, 2.0f / 9, 2.0f / 7, 2.0f / 5, 2.0f / 3}) {
		p = std::fma(p, s2, next);
	}
	return std::max(x, 0.0f) + std::fma(s * s2, p, s + s);
}

float proctor_scalar_tanh(float x) {
	const float size = std::fabs(x), x2 = x * x;
	if (size > 0.625f) {
		const float power = proctor_scalar_exp(std::min(2 * size, 20.0f)), sum = power + 1, q = 2 / sum;
		const float lost = std::fma(-q, power - (sum - 1), std::fma(-q, sum, 2.0f)), rest = 1 - q;
		return std::copysign(rest + std::fma(-lost, q * 0.5f, 1 - rest - q), x);
	}
	float p = -0x1.8f8de4p-8f;
	for (float next : {0x1.58048ep-6f, -0x1.b9258ap-5f, 0x1.110e1cp-3f, -0x1.555552p-2f}) {
		p = std::fma(p, x2, next);
	}
	return std::fma(x * x2, p, x);
}

float proctor_scalar_swiglu(float x, float gate) { return proctor_scalar_silu(x) * gate; }

float proctor_scalar_swiglu_oai(float x, float gate) {
	const float bounded = std::min(x, 7.0f);
	return bounded / (1 + proctor_scalar_exp(-bounded * 1.702f)) * (std::clamp(gate, -7.0f, 7.0f) + 1);
}

void proctor_scalar_soft_max(const float *x, const float *, int64_t size, float *to) {
	const float peak = *std::max_element(x, x + size);
	float sum[64] = {};
	for (int64_t i = 0; i < size; i++) {
		to[i] = proctor_scalar_exp(x[i] - peak);
		sum[i % 64] += to[i];
	}
	const float inverse = 1 / proctor_sum_places(sum);
	for (int64_t i = 0; i < size; i++) {
		to[i] *= inverse;
	}
}

void proctor_scalar_norm(const float *x, const float *, int64_t size, float *to) {
	float values[64] = {}, rests[64] = {}, squares[64] = {};
	for (int64_t i = 0; i < size; i++) {
		values[i % 64] += x[i];
	}
	const float about = proctor_sum_places(values) / (float) size;
	for (int64_t i = 0; i < size; i++) {
		rests[i % 64] += x[i] - about;
	}
	const float mean = about + proctor_sum_places(rests) / (float) size;
	for (int64_t i = 0; i < size; i++) {
		squares[i % 64] = std::fma(x[i] - mean, x[i] - mean, squares[i % 64]);
	}
	const float scale = 1 / std::sqrt(proctor_sum_places(squares) / (float) size + 1e-5f);
	for (int64_t i = 0; i < size; i++) {
		to[i] = (x[i] - mean) * scale;
	}
}
