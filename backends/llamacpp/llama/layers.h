// What llama.cpp's own header does not tell.
#pragma once

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a layer keeps of a sequence's tokens: a state of so many numbers; keys and values, of those in a sliding window alone or
// of all.
typedef struct {
	int32_t state;
	bool attends, window;
} proctor_layer;

proctor_layer proctor_model_layer(const struct llama_model *model, int32_t layer);

// Copies between sequences at once what would be copied before the next decode.
void proctor_engine_copy_now(proctor_engine *engine);

#ifdef __cplusplus
}
#endif
