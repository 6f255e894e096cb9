// Kernels of our own for ggml's CPU backend.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ggml_threadpool;

#ifdef __cplusplus
extern "C" {
#endif

// Adds the kernels to ggml, before a model is loaded; false where they are not compiled for this CPU.
bool proctor_kernels_install(void);

// Sets whether the weights of models that are loaded from now on are packed.
void proctor_kernels_pack(bool on);

// Makes attention that is computed with these threads ours, or ggml's again, as it is without. Not while they compute.
void proctor_kernels_attach(const struct ggml_threadpool *threads);
void proctor_kernels_detach(const struct ggml_threadpool *threads);

// Tells which streams of a cache begin with the same cells, of the context whose threads these are and until it is told
// otherwise: each stream's leader, which is one of those that do (-1: none do), and at a leader's place how many cells that
// are. 0 streams: nothing is known. Not while they compute.
void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *leader, const int32_t *length);

#ifdef __cplusplus
}
#endif
