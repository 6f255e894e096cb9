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

// Sets whether models loaded, and attention computed, from now on use them.
void proctor_kernels_use(bool on);

// Tells which streams of a cache begin with the same cells, of the context that computes with these threads and until it
// is told otherwise: each stream's leader, which is one of those that do (-1: none do), and at a leader's place how many
// cells that are. 0 streams: nothing is known. Not while the context computes.
void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *leader, const int32_t *length);

#ifdef __cplusplus
}
#endif
