// Collecting an importance matrix: the sums of the squares of what each column of the layers' matrices is multiplied with.
#pragma once

#include "functions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct proctor_imatrix proctor_imatrix;

proctor_imatrix *proctor_imatrix_new(void);
void proctor_imatrix_free(proctor_imatrix *all);

// A ggml_backend_sched_eval_callback, whose data is the matrix: it adds what a context computes.
void *proctor_imatrix_callback(void);

// Rows that the matrix with most of them was multiplied with.
int64_t proctor_imatrix_rows(const proctor_imatrix *all);

// Writes llama.cpp's file (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a row); false where that failed.
bool proctor_imatrix_write(const proctor_imatrix *all, const char *path, const char *dataset, uint32_t chunks, uint32_t chunk_size);

#ifdef __cplusplus
}
#endif
