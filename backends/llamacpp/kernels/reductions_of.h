// What scores of tokens are reduced to (kernels.h), written once: compiled for levels, and for what the compiler's flags ask for.
#pragma once

#include "reductions.h"

namespace kernels::PROCTOR_LEVEL::reducing {

// The lanes let the compiler use vector instructions, which it may not for a plain maximum of floats.
static int32_t argmax(const float *scores, int32_t n) {
	constexpr int lanes = 64;
	float best[lanes];
	int32_t broken[lanes] = {};
	for (float &b : best) {
		b = -INFINITY;
	}
	int32_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		for (int l = 0; l < lanes; l++) {
			float score = scores[i + l];
			best[l] = score > best[l] ? score : best[l];
			broken[l] |= score != score;
		}
	}
	for (; i < n; i++) {
		best[0] = scores[i] > best[0] ? scores[i] : best[0];
		broken[0] |= scores[i] != scores[i];
	}
	float top = best[0];
	for (int l = 0; l < lanes; l++) {
		top = best[l] > top ? best[l] : top;
		broken[0] |= broken[l];
	}
	if (broken[0] || !std::isfinite(top)) {
		return -1;
	}
	for (i = 0; i + lanes <= n; i += lanes) {
		int32_t here = 0;
		for (int l = 0; l < lanes; l++) {
			here |= scores[i + l] == top;
		}
		if (here) {
			break;
		}
	}
	for (; scores[i] != top; i++) {
	}
	return i;
}

// Independent sums, so that the compiler may use vector instructions: it keeps the order of a single one.
constexpr int lanes = 16;

// exp(x) for x from -700 to 0 within 1e-15, as a loop's body that vector instructions can compute. x = n·ln 2 + r with
// |r| <= ln 2 / 2, the series of exp(r), and n in the exponent.
static inline double exp_below_0(double x) {
	constexpr double log2_e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
	constexpr double to_integer = 0x1.8p52; // adding it leaves the rounded number in the lowest bits
	double shifted = x * log2_e + to_integer;
	double n = shifted - to_integer;
	double r = (x - n * ln2_high) - n * ln2_low;
	double sum = 1.0 / 479001600;
	sum = sum * r + 1.0 / 39916800;
	sum = sum * r + 1.0 / 3628800;
	sum = sum * r + 1.0 / 362880;
	sum = sum * r + 1.0 / 40320;
	sum = sum * r + 1.0 / 5040;
	sum = sum * r + 1.0 / 720;
	sum = sum * r + 1.0 / 120;
	sum = sum * r + 1.0 / 24;
	sum = sum * r + 1.0 / 6;
	sum = sum * r + 0.5;
	sum = sum * r + 1;
	sum = sum * r + 1;
	int64_t bits;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (bits + 1023) << 52;
	double power;
	memcpy(&power, &bits, sizeof power);
	return sum * power;
}

// A score below the best one; what is further below than exp can tell from 0 is no further. The floats are compared: of doubles
// the compiler makes a branch here, and no vector instructions.
static inline double below(float score, float best) {
	float least = best - 700;
	return (double) (score > least ? score : least) - best;
}

static float largest(const float *scores, int32_t n) {
	float best[lanes];
	for (float &b : best) {
		b = scores[0];
	}
	int32_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		for (int l = 0; l < lanes; l++) {
			best[l] = scores[i + l] > best[l] ? scores[i + l] : best[l];
		}
	}
	for (; i < n; i++) {
		best[0] = scores[i] > best[0] ? scores[i] : best[0];
	}
	for (float b : best) {
		best[0] = b > best[0] ? b : best[0];
	}
	return best[0];
}

// Sums over lanes of what each token gives.
struct sums {
	double lane[lanes] = {};
	double total() const {
		double all = 0;
		for (double each : lane) {
			all += each;
		}
		return all;
	}
};

// Calls add(token, lane) for each of n tokens.
template <typename F> static inline void each_token(int32_t n, F add) {
	int32_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		for (int l = 0; l < lanes; l++) {
			add(i + l, l);
		}
	}
	for (; i < n; i++) {
		add(i, 0);
	}
}

// A distribution: with x the distances from the best score, mass = sum exp(x) and moment = sum x·exp(x).
struct distribution {
	float best;
	double mass, moment;
	double log_mass() const { return std::log(mass); }
	double logprob(float score) const { return below(score, best) - log_mass(); }
	double entropy() const { return log_mass() - moment / mass; }
};

static distribution distribution_of(const float *scores, int32_t n) {
	distribution d{largest(scores, n), 0, 0};
	sums mass, moment;
	each_token(n, [&](int32_t i, int l) {
		double x = below(scores[i], d.best), e = exp_below_0(x);
		mass.lane[l] += e;
		moment.lane[l] += x * e;
	});
	d.mass = mass.total();
	d.moment = moment.total();
	return d;
}

// sum p·(ln p − ln q) with p the reference's probabilities and q the model's.
static double divergence(const float *reference, const distribution &p, const float *scores, const distribution &q, int32_t n) {
	sums apart; // sum exp(x)·(x − y)
	each_token(n, [&](int32_t i, int l) {
		double x = below(reference[i], p.best), y = below(scores[i], q.best);
		apart.lane[l] += exp_below_0(x) * (x - y);
	});
	return apart.total() / p.mass - p.log_mass() + q.log_mass();
}

// The places of the n_top largest scores, the largest first, of equals the first.
static void likeliest(const float *scores, int32_t n, int32_t n_top, int32_t *top) {
	constexpr int block = 64;
	int32_t found = 0;
	for (int32_t from = 0; from < n; from += block) {
		int32_t to = from + block < n ? from + block : n;
		if (found == n_top && !(largest(scores + from, to - from) > scores[top[n_top - 1]])) {
			continue;
		}
		for (int32_t i = from; i < to; i++) {
			if (found == n_top && !(scores[i] > scores[top[n_top - 1]])) {
				continue;
			}
			int32_t at = found < n_top ? found++ : n_top - 1;
			for (; at > 0 && scores[i] > scores[top[at - 1]]; at--) {
				top[at] = top[at - 1];
			}
			top[at] = i;
		}
	}
}

static void predict(int32_t n, const proctor_place *places, int32_t vocabulary, int32_t n_top, const int32_t *ask, double *asked,
	double *asked_reference, int32_t *top, double *top_logprobs, proctor_prediction *predictions) {
	for (int32_t i = 0; i < n; i++, top += n_top, top_logprobs += n_top) {
		const proctor_place &place = places[i];
		proctor_prediction &told = predictions[i];
		distribution q = distribution_of(place.scores, vocabulary);
		told = proctor_prediction{};
		told.logprob = q.logprob(place.scores[place.token]);
		told.entropy = q.entropy();
		for (int32_t j = place.ask_from; j < place.ask_to; j++) {
			asked[j] = q.logprob(place.scores[ask[j]]);
		}
		likeliest(place.scores, vocabulary, n_top, top);
		double rest = q.mass;
		for (int32_t j = 0; j < n_top; j++) {
			top_logprobs[j] = q.logprob(place.scores[top[j]]);
			rest -= exp_below_0(below(place.scores[top[j]], q.best));
		}
		told.rest = rest > 0 && n_top < vocabulary ? std::log(rest) - q.log_mass() : -INFINITY;
		if (place.reference != nullptr) {
			distribution p = distribution_of(place.reference, vocabulary);
			told.reference_logprob = p.logprob(place.reference[place.token]);
			told.reference_entropy = p.entropy();
			for (int32_t j = place.ask_from; j < place.ask_to; j++) {
				asked_reference[j] = p.logprob(place.reference[ask[j]]);
			}
			likeliest(place.reference, vocabulary, 1, &told.reference_top);
			told.kld = divergence(place.reference, p, place.scores, q, vocabulary);
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL::reducing

namespace kernels::PROCTOR_LEVEL {

extern const reductions reduces;
const reductions reduces = {reducing::argmax, reducing::predict};

} // namespace kernels::PROCTOR_LEVEL
