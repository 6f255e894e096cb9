// A thin layer over llama.h, so that a decode step is one call from Go and no C++ exception reaches it.
#pragma once

#if !__has_include("llama.h")
#error "llama.cpp's headers are not linked into this folder yet: run make once, from the top of the repository"
#endif

#include "llama.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct proctor_engine proctor_engine;

typedef struct {
	uint32_t context;   // cells of each sequence
	uint32_t sequences; // sequences that can be held at a time
	uint32_t batch;     // tokens of one decode at most
	uint32_t ubatch;    // tokens computed at a time
	int32_t threads;
	enum ggml_type kv_type;
	enum ggml_type value_type; // of the cache's values; kv_type is that of its keys
	bool flash_attention;
	bool unified; // one cache for all sequences together instead of one each
	bool windowed; // layers with a sliding window keep only the tokens in it, so that prefixes cannot be reused
} proctor_settings;

// Installs proctor_log (written in Go) as the engine's only log.
void proctor_log_install(void);

// Loads a model. progress is called with the handle (written in Go) and ends the load by returning false.
struct llama_model *proctor_model_load(const char *path, int32_t gpu_layers, uintptr_t progress);

// Loads a model's vocabulary without its tensors.
struct llama_model *proctor_vocabulary_load(const char *path);

// Makes a context; NULL on failure, with the reason in the log.
proctor_engine *proctor_engine_new(struct llama_model *model, proctor_settings settings);
void proctor_engine_free(proctor_engine *engine);

// Computes on n threads from now on, no more than it was made with.
void proctor_engine_threads(proctor_engine *engine, int32_t n);

// The threads that it computes with; NULL where llama.cpp makes its own for each decode.
struct ggml_threadpool *proctor_engine_pool(const proctor_engine *engine);

uint32_t proctor_engine_context(const proctor_engine *engine);

// Makes the running decode and every later one end at once, until it is called with false. The only function that
// may be called while another one runs.
void proctor_engine_cancel(proctor_engine *engine, bool cancel);

// Results of a decode besides llama_decode's own (0 done, 1 no room, 2 cancelled, below 0 failed).
enum { PROCTOR_THREW = -100, PROCTOR_NO_TOKEN = -1 };

// Decodes n tokens. For each token with draw set it then draws the next one into drawn: the likeliest where samplers
// has NULL at its place, else the sampler's choice; PROCTOR_NO_TOKEN where the model's scores are no numbers.
int32_t proctor_engine_decode(proctor_engine *engine, int32_t n, const int32_t *token, const int32_t *pos, const int32_t *seq,
	const int8_t *draw, struct llama_sampler **samplers, int32_t *drawn);

// Decodes n tokens and draws none. The scores of the tokens with scored set are computed and left unread.
int32_t proctor_engine_evaluate(proctor_engine *engine, int32_t n, const int32_t *token, const int32_t *pos, const int32_t *seq,
	const int8_t *scored);

// Cache: forget everything, all of seq from position from on, or make dst a copy of src.
void proctor_engine_clear(proctor_engine *engine);
bool proctor_engine_trim(proctor_engine *engine, int32_t seq, int32_t from);
void proctor_engine_copy(proctor_engine *engine, int32_t src, int32_t dst);

struct llama_sampler *proctor_sampler_new(int32_t top_k, float top_p, float min_p, float temperature, uint32_t seed);

uint32_t proctor_quantize(const char *from, const char *to, enum llama_ftype type, int32_t threads);

// Calls llama_tokenize; INT32_MIN where it threw.
int32_t proctor_tokenize(const struct llama_vocab *vocab, const char *text, int32_t length, int32_t *tokens, int32_t room);

#ifdef __cplusplus
}
#endif
