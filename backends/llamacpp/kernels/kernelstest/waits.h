// How often threads wait for each other, and into how many parts they share an operation.
#pragma once

#include "operations.h"

#ifdef __cplusplus
extern "C" {
#endif

// What threads do in an operation.
typedef struct {
	int64_t waits; // of each thread for all others
	int64_t parts; // that the threads take one after the other; 0: each has its own share
} proctor_sharing;

// Computes a product of a matrix of zeros with columns, or attention, on threads of its own.
proctor_sharing proctor_product_sharing(enum ggml_type type, int64_t width, int64_t rows, int64_t columns, int threads);
proctor_sharing proctor_attention_sharing(proctor_attention attention, int threads);

#ifdef __cplusplus
}
#endif
