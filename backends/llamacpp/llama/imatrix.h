// Collecting an importance matrix: the sums of the squares of what each column of the layers' matrices is multiplied with.
#pragma once

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct proctor_imatrix proctor_imatrix;

proctor_imatrix *proctor_imatrix_new(void);
void proctor_imatrix_free(proctor_imatrix *all);

// Has a context to be made with params add to all what it computes.
void proctor_imatrix_collect(proctor_imatrix *all, struct llama_context_params *params);

// Matrices with at least one row; and rows that the one with most of them was multiplied with.
int64_t proctor_imatrix_tensors(const proctor_imatrix *all);
int64_t proctor_imatrix_rows(const proctor_imatrix *all);

// Writes llama.cpp's file (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a row); false where that failed.
bool proctor_imatrix_write(const proctor_imatrix *all, const char *path, const char *dataset, uint32_t chunks, uint32_t chunk_size);

#ifdef __cplusplus
}
#endif
