// What the kernels compute, one number after the other: every level gives the same bits.
#pragma once

#include "operations.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the sum of 64 floats: of four vectors, then of lanes 8, 4, 2 and 1 apart.
float proctor_sum_places(const float *places);

// Returns the sum of 16 floats: of lanes 8, 4, 2 and 1 apart.
float proctor_sum_lanes(const float *lanes);

// Computes a product as proctor_multiply does.
void proctor_scalar_multiply(proctor_product product, float *result);

// Computes a product of floats that are not packed as proctor_multiply does.
void proctor_scalar_multiply_unpacked(proctor_product product, float *result);

// Computes attention as proctor_attend does.
void proctor_scalar_attend(proctor_attention attention, float *result);

// Computes norms as proctor_normalise does.
void proctor_scalar_normalise(const float *from, int64_t width, int64_t rows, float epsilon, float *result);

// Functions of single values, as operations compute them.
float proctor_scalar_exp(float x);
float proctor_scalar_sigmoid(float x);
float proctor_scalar_silu(float x);
float proctor_scalar_softplus(float x);
float proctor_scalar_tanh(float x);
float proctor_scalar_swiglu(float x, float gate);
float proctor_scalar_swiglu_oai(float x, float gate); // with the bounds of gpt-oss

// Operations of a row, without gates.
void proctor_scalar_soft_max(const float *x, const float *gate, int64_t size, float *to);
void proctor_scalar_norm(const float *x, const float *gate, int64_t size, float *to);

// Computes an operation as proctor_compute_by_row does.
void proctor_scalar_by_row(proctor_by_row operation, float *result);

// Computes a scan as proctor_compute_scan does.
void proctor_scalar_scan(proctor_scan scan, float *result);

// Computes a convolution as proctor_convolve does.
void proctor_scalar_convolve(proctor_convolution convolution, float *result);

#ifdef __cplusplus
}
#endif
