// Kernels of our own for ggml's CPU backend.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Adds the kernels to ggml, before a model is loaded; false where they are not compiled for this CPU.
bool proctor_kernels_install(void);

// Sets whether models loaded, and attention computed, from now on use them.
void proctor_kernels_use(bool on);

#ifdef __cplusplus
}
#endif
