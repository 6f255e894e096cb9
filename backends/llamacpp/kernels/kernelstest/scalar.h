// What the kernels compute, one number after the other: every level gives the same bits.
#pragma once

#include "operations.h"

#ifdef __cplusplus
extern "C" {
#endif

// Computes a product as proctor_multiply does.
void proctor_scalar_multiply(proctor_product product, float *result);

// Computes attention as proctor_attend does.
void proctor_scalar_attend(proctor_attention attention, float *result);

#ifdef __cplusplus
}
#endif
