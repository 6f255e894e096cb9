// What the kernels compute, one number after the other: every level gives the same bits.
#pragma once

#include "operations.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the sum of 64 floats: of four vectors, then of lanes 8, 4, 2 and 1 apart.
float proctor_sum_places(const float *places);

// Computes a product as proctor_multiply does.
void proctor_scalar_multiply(proctor_product product, float *result);

// Computes attention as proctor_attend does.
void proctor_scalar_attend(proctor_attention attention, float *result);

// Computes norms as proctor_normalise does.
void proctor_scalar_normalise(const float *from, int64_t width, int64_t rows, float epsilon, float *result);

#ifdef __cplusplus
}
#endif
