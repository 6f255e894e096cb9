// The C library's functions of floats, for all that the program computes with them: here they are those of doubles, rounded. A
// library's own are not always the nearest floats (glibc 2.36: one sine in 77 is not, one tanhf in 9, one expf in 1,600), and
// nothing says that the next library or version errs in the same places; a model's text may turn on one of them. Of doubles a library
// is right to far more digits than a float has, so which library it is does not show.
#include <math.h>
#include <stdint.h>
#include <string.h>

// The compiler must not know the functions of doubles, which flags in kernels.go see to: it makes sincosf of sinf and cosf, and with
// some flags sinf of a rounded sin. Such a function would call itself for ever.

// Libraries that are loaded later must find the C library's own.
#pragma GCC visibility push(hidden)

#define ROUNDED(of_doubles, of_floats) \
	float of_floats(float x) { return (float) of_doubles(x); }

ROUNDED(cos, cosf)
ROUNDED(erf, erff)
ROUNDED(exp2, exp2f)
ROUNDED(expm1, expm1f)
ROUNDED(log, logf)
ROUNDED(log1p, log1pf)
ROUNDED(log2, log2f)
ROUNDED(sin, sinf)
ROUNDED(tanh, tanhf)

float powf(float x, float y) { return (float) pow(x, y); }

void sincosf(float x, float *sine, float *cosine) {
	*sine = (float) sin(x);
	*cosine = (float) cos(x);
}

// State-space models ask for it for each value of a state, so it is not the library's: with x = (n + r) / 32 · ln 2 the power is
// 2^(n / 32), of which thirty-two are known, times the series of the rest to its fourth power, which is right to 1e-12.
float expf(float x) {
	static const double powers[] = {0x1p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
		0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0, 0x1.306fe0a31b715p+0,
		0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0, 0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0,
		0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0, 0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0,
		0x1.82589994cce13p+0, 0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
		0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0, 0x1.d5818dcfba487p+0,
		0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
	if (!(fabsf(x) < 87)) { // hardly a normal number, none, or infinite
		return (float) exp(x);
	}
	const double to_integer = 0x1.8p52; // adding it leaves the rounded number in the lowest bits
	const double shifted = fma(x, 0x1.71547652b82fep5, to_integer), n = shifted - to_integer;
	const double r = fma(n, -0x1.62e42fefa39efp-6, x), r2 = r * r;
	const double rest = fma(fma(1.0 / 24, r2, fma(1.0 / 6, r, 0.5)), r2, 1 + r);
	int64_t steps, bits;
	memcpy(&steps, &shifted, sizeof steps);
	memcpy(&bits, &powers[steps & 31], sizeof bits);
	bits += (steps >> 5) << 52; // the exponent of to_integer is shifted out
	double power;
	memcpy(&power, &bits, sizeof power);
	return (float) (power * rest);
}
