#include "scalar.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#define GGML_COMMON_DECL_C
#define GGML_COMMON_IMPL_C
#include "ggml-common.h"

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

namespace {

// 32 weights of a row: scale × (value - zero) - offset, 16 or 32 of them sharing a scale.
struct weights_32 {
	int value[32];
	float scale[2], offset[2];
	int groups = 1;
	bool offsets = false;
};

float half(ggml_half h) { return ggml_fp16_to_fp32(h); }

// The i-th 32 weights of a row, less their zero.
weights_32 read(ggml_type type, const void *row, int64_t i) {
	weights_32 w = {};
	w.groups = 1;
	auto k_quant = [&](ggml_half d, ggml_half dmin, const uint8_t *scales, int j) {
		const int s = j < 4 ? scales[j] & 63 : (scales[j + 4] & 15) | scales[j - 4] >> 6 << 4;
		const int m = j < 4 ? scales[j + 4] & 63 : scales[j + 4] >> 4 | scales[j] >> 6 << 4;
		w.scale[0] = half(d) * (float) s;
		w.offset[0] = half(dmin) * (float) m;
		w.offsets = true;
	};
	for (int v = 0; v < 32; v++) {
		const int j = (int) (i % 8), nibble = v % 16;
		switch (type) {
		case GGML_TYPE_Q8_0: {
			const auto &b = ((const block_q8_0 *) row)[i];
			w.scale[0] = half(b.d);
			w.value[v] = b.qs[v];
			break;
		}
		case GGML_TYPE_Q4_0: {
			const auto &b = ((const block_q4_0 *) row)[i];
			w.scale[0] = half(b.d);
			w.value[v] = (v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4) - 8;
			break;
		}
		case GGML_TYPE_Q4_1: {
			const auto &b = ((const block_q4_1 *) row)[i];
			w.scale[0] = half(b.d);
			w.offset[0] = -half(b.m);
			w.offsets = true;
			w.value[v] = v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4;
			break;
		}
		case GGML_TYPE_IQ4_NL: {
			const auto &b = ((const block_iq4_nl *) row)[i];
			w.scale[0] = half(b.d);
			w.value[v] = kvalues_iq4nl[v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4];
			break;
		}
		case GGML_TYPE_MXFP4: {
			const auto &b = ((const block_mxfp4 *) row)[i];
			w.scale[0] = std::ldexp(1.0f, b.e - 128);
			w.value[v] = kvalues_mxfp4[v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4];
			break;
		}
		case GGML_TYPE_Q5_1: {
			const auto &b = ((const block_q5_1 *) row)[i];
			w.scale[0] = half(b.d);
			w.offset[0] = -half(b.m);
			w.offsets = true;
			w.value[v] = (v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4) | (b.qh[v / 8] >> v % 8 & 1) << 4;
			break;
		}
		case GGML_TYPE_Q5_0: {
			const auto &b = ((const block_q5_0 *) row)[i];
			w.scale[0] = half(b.d);
			w.value[v] = ((v < 16 ? b.qs[nibble] & 15 : b.qs[nibble] >> 4) | (b.qh[v / 8] >> v % 8 & 1) << 4) - 16;
			break;
		}
		case GGML_TYPE_Q2_K: {
			const auto &b = ((const block_q2_K *) row)[i / 8];
			const int scale = b.scales[2 * j + v / 16];
			w.value[v] = b.qs[j / 4 * 32 + v] >> j % 4 * 2 & 3;
			w.groups = 2;
			w.offsets = true;
			w.scale[v / 16] = half(b.d) * (float) (scale & 15);
			w.offset[v / 16] = half(b.dmin) * (float) (scale >> 4);
			break;
		}
		case GGML_TYPE_Q3_K: {
			const auto &b = ((const block_q3_K *) row)[i / 8];
			const int s = 2 * j + v / 16, low = s < 8 ? b.scales[s] & 15 : b.scales[s - 8] >> 4;
			w.value[v] = (b.qs[j / 4 * 32 + v] >> j % 4 * 2 & 3) - (b.hmask[v] >> j & 1 ? 0 : 4);
			w.groups = 2;
			w.scale[v / 16] = half(b.d) * (float) ((low | (b.scales[8 + s % 4] >> s / 4 * 2 & 3) << 4) - 32);
			break;
		}
		case GGML_TYPE_IQ4_XS: {
			const auto &b = ((const block_iq4_xs *) row)[i / 8];
			const int low = b.scales_l[j / 2] >> j % 2 * 4 & 15;
			const int byte = b.qs[16 * j + nibble];
			w.value[v] = kvalues_iq4nl[v < 16 ? byte & 15 : byte >> 4];
			w.scale[0] = half(b.d) * (float) ((low | (b.scales_h >> 2 * j & 3) << 4) - 32);
			break;
		}
		case GGML_TYPE_Q4_K: {
			const auto &b = ((const block_q4_K *) row)[i / 8];
			k_quant(b.d, b.dmin, b.scales, j);
			w.value[v] = b.qs[j / 2 * 32 + v] >> j % 2 * 4 & 15;
			break;
		}
		case GGML_TYPE_Q5_K: {
			const auto &b = ((const block_q5_K *) row)[i / 8];
			k_quant(b.d, b.dmin, b.scales, j);
			w.value[v] = (b.qs[j / 2 * 32 + v] >> j % 2 * 4 & 15) | (b.qh[v] >> j & 1) << 4;
			break;
		}
		case GGML_TYPE_Q6_K: {
			const auto &b = ((const block_q6_K *) row)[i / 8];
			const int low = b.ql[j / 4 * 64 + j % 2 * 32 + v] >> j % 4 / 2 * 4 & 15;
			w.value[v] = (low | (b.qh[j / 4 * 32 + v] >> j % 4 * 2 & 3) << 4) - 32;
			w.groups = 2;
			w.scale[v / 16] = half(b.d) * (float) b.scales[2 * j + v / 16];
			break;
		}
		default: abort();
		}
	}
	return w;
}

// 32 activations, rounded to 8 bits.
struct activations_32 {
	int value[32];
	float scale;

	// The nearest float of 22 binary digits.
	static float rounded(float f) {
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		bits = (bits + 2) & ~3u;
		memcpy(&f, &bits, sizeof f);
		return f;
	}

	explicit activations_32(const float *from) {
		float amax = 0;
		bool numbers = true;
		for (int i = 0; i < 32; i++) {
			amax = std::max(amax, std::fabs(from[i]));
			numbers = numbers && std::fabs(from[i]) < 0x1p111f;
		}
		const float inverse = 127 / amax;
		for (int i = 0; i < 32; i++) {
			value[i] = numbers && std::isfinite(inverse) ? (int) std::nearbyint(from[i] * inverse) : 0;
		}
		scale = numbers ? rounded(amax / 127) : NAN;
	}
};

float multiply_quants(ggml_type type, const void *row, const std::vector<activations_32> &column) {
	float sum = 0;
	for (size_t i = 0; i < column.size(); i++) {
		const weights_32 w = read(type, row, (int64_t) i);
		const int values = 32 / w.groups;
		for (int g = 0; g < w.groups; g++) {
			int dot = 0, total = 0;
			for (int v = g * values; v < (g + 1) * values; v++) {
				dot += w.value[v] * column[i].value[v];
				total += column[i].value[v];
			}
			sum = std::fma((float) dot * column[i].scale, w.scale[g], sum);
			if (w.offsets) {
				sum = std::fma(-w.offset[g], column[i].scale * (float) total, sum);
			}
		}
	}
	return sum;
}

} // namespace

void proctor_scalar_multiply(proctor_product p, float *result) {
	const size_t row_size = ggml_row_size(p.type, p.k);
	for (int64_t c = 0; c < p.columns; c++) {
		const float *column = p.activations + c * p.k;
		std::vector<activations_32> rounded;
		for (int64_t i = 0; i < p.k; i += 32) {
			rounded.emplace_back(column + i);
		}
		for (int64_t r = 0; r < p.rows; r++) {
			const void *row = (const char *) p.weights + r * row_size;
			float &to = result[c * p.rows + r];
			const bool quantised = p.type != GGML_TYPE_F32 && p.type != GGML_TYPE_F16 && p.type != GGML_TYPE_BF16;
			if (quantised) {
				to = multiply_quants(p.type, row, rounded);
				continue;
			}
			std::vector<float> weights(p.k);
			proctor_restore(p.type, row, weights.data(), p.k);
			to = 0;
			for (int64_t i = 0; i < p.k; i++) {
				to = std::fma(weights[i], column[i], to);
			}
		}
	}
}
