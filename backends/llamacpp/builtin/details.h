// What llama.cpp's own header does not tell.
#pragma once

#include "functions.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a layer keeps of a sequence's tokens: a state of so many numbers; keys and values, of those in a sliding window alone or
// of all.
typedef struct {
	int32_t state;
	bool attends, window;
} proctor_layer;

void proctor_model_layer(const struct llama_model *model, int32_t layer, proctor_layer *is);

// What ggml of this version knows of a device: where it is plugged in (NULL: unknown), its driver's version (0: unknown), and whether
// its memory is the machine's own.
typedef struct {
	const char *id;
	int32_t driver_major, driver_minor, integrated;
} proctor_device_details;

void proctor_device(ggml_backend_dev_t device, proctor_device_details *is);

// Copies between sequences at once what would be copied before the next decode.
void proctor_copy_now(struct llama_context *context);

#ifdef __cplusplus
}
#endif
