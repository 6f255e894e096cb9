// Quantising a model's file.
#pragma once

#include "functions.h"

#ifdef __cplusplus
extern "C" {
#endif

// How important each column of each tensor is: a std::unordered_map<std::string, std::vector<float>>, as llama.cpp takes it.
typedef struct proctor_importance proctor_importance;

proctor_importance *proctor_importance_new(void);
void proctor_importance_add(proctor_importance *all, const char *tensor, const float *values, size_t n);
void proctor_importance_free(proctor_importance *all);

// Calls llama_model_quantize; 0 where it succeeded. importance may be NULL. proctorQuantising (written in Go) gets the handle and the
// log's line that announces a tensor, before the tensor is quantised; when it returns false, the work ends there.
uint32_t proctor_quantize(const char *from, const char *to, enum llama_ftype type, int32_t threads, bool requantise,
	proctor_importance *importance, uintptr_t progress);

// Where this thread quantises, hands a text of the engine's log on; throws where the work is to end.
void proctor_quantize_logged(const char *text);

#ifdef __cplusplus
}
#endif
