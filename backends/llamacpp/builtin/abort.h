// What the engine gives up for.
#pragma once

#include "ggml.h"

#ifdef __cplusplus
extern "C" {
#endif

// Has gave_up called before the engine ends the process: for an assertion that failed, or an exception that nobody catches.
// It is ggml_set_abort_callback for all of that; it returns NULL.
ggml_abort_callback_t proctor_abort_install(ggml_abort_callback_t gave_up);

#ifdef __cplusplus
}
#endif
