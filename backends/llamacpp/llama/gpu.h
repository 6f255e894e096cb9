// ggml's GPU backends, which are shared libraries that are loaded when the program runs.
#pragma once

#include "ggml-backend.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loads a shared library, so that those that need it find it loaded. Where it is ggml itself it gets the engine's log: a
// backend brings a copy of ggml's base along, beside the one that this program is linked with, with a log of its own.
// Returns NULL, or why it cannot be loaded, until the next call.
const char *proctor_library_load(const char *path);

// Loads a backend of ggml and registers its devices; NULL on failure, with the reason in the log.
ggml_backend_reg_t proctor_backend_load(const char *path);

#ifdef __cplusplus
}
#endif
