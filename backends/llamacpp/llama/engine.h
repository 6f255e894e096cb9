// A thin layer over llama.h, so that a decode step is one call from Go and no C++ exception reaches it.
#pragma once

#if !__has_include("llama.h")
#error "llama.cpp's headers are not linked into this folder yet: run make once, from the top of the repository"
#endif

#include "llama.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many operations all engines have computed on the CPU, each a node of a graph. It is atomic, and grows while they get on.
extern int64_t proctor_operations;

// A context with what belongs to it. One thread uses it, but cancelled may be set by others.
typedef struct {
	struct llama_context *context;
	struct ggml_threadpool *threads; // that it computes with; NULL where llama.cpp makes its own for each decode
	struct llama_batch batch;
	int32_t vocabulary; // tokens that there are
	int32_t cancelled;  // atomic: while it is not 0, the running decode and every later one end at once
} proctor_engine;

// A place of a batch. With draw set, the scores of the token that follows are computed, and where tokens are drawn it is
// drawn: the likeliest without a sampler, else the sampler's choice.
typedef struct {
	int32_t token, position, sequence;
	bool draw;
	struct llama_sampler *sampler;
} proctor_token;

// Installs proctorLog (written in Go) as the engine's only log.
void proctor_log_install(void);

// Has proctorAbort (written in Go) told of what the engine gives up for, before it ends the process: an assertion that failed,
// or an exception that nobody catches.
void proctor_abort_install(void);

// Loads a model. Its layers go to n devices, each of which gets the share that split says. progress, where it is not 0, is a
// handle (written in Go): it is told how much is read, and ends the load by returning false.
struct llama_model *proctor_model_load(const char *path, struct llama_model_params params, const ggml_backend_dev_t *devices,
	int32_t n, const float *split, uintptr_t progress);

// Makes a context; NULL on failure, with the reason in the log. Its batches hold as many tokens as params say.
proctor_engine *proctor_engine_new(struct llama_model *model, struct llama_context_params params);
void proctor_engine_free(proctor_engine *engine);

// Results of a decode besides llama_decode's own (0 done, 1 no room, 2 cancelled, below 0 failed).
enum { PROCTOR_THREW = -100, PROCTOR_NO_TOKEN = -1 };

// Decodes n tokens, and draws into drawn at the places of the tokens with draw set: PROCTOR_NO_TOKEN where the model's
// scores are no numbers. Where drawn is NULL, the scores are left unread.
int32_t proctor_engine_decode(proctor_engine *engine, int32_t n, const proctor_token *tokens, int32_t *drawn);

struct proctor_sampling {
	int32_t top_k;
	float top_p, min_p, temperature; // temperature 0: the likeliest
	uint32_t seed;
	int32_t penalty_window; // tokens; 0: no penalties
	float repeat_penalty, presence_penalty, frequency_penalty;
};

struct llama_sampler *proctor_sampler_new(struct proctor_sampling s);

// Calls llama_tokenize; INT32_MIN where it threw.
int32_t proctor_tokenize(const struct llama_vocab *vocab, const char *text, int32_t length, int32_t *tokens, int32_t room);

#ifdef __cplusplus
}
#endif
