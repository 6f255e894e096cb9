// The functions of the llama.cpp that is compiled in, by name.
#pragma once

#if !__has_include("llama.h")
#error "llama.cpp's headers are not linked into this folder yet: run make once, from the top of the repository"
#endif

#include "llama.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the address of a function; NULL where there is none of that name.
void *proctor_symbol(const char *name);

#ifdef __cplusplus
}
#endif
