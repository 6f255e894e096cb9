// Kernels of our own for ggml's CPU backend.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ggml_threadpool;

#ifdef __cplusplus
extern "C" {
#endif

// Returns the name of a level of kernels, best first; NULL beyond the last.
const char *proctor_kernels_level(int32_t level);

// Returns the name of the n-th feature that this CPU lacks to compute with a level; NULL beyond the last.
const char *proctor_kernels_level_lacks(int32_t level, int32_t n);

// Adds the kernels of a level to ggml, or takes another level. Not while a model is loaded.
void proctor_kernels_install(int32_t level);

// From now on, until a level is installed, the first weights of a type that are packed have all levels measured, which takes 12 to 41 ms a
// type: the fastest one multiplies such weights, one for a single column of activations, one for 2 to 32, and one for more. Small
// matrices are multiplied by the level that is installed.
void proctor_kernels_measure(void);

// Sets the level that multiplies weights of a ggml_type with this number of columns, and all numbers of the same range (1, 2 to 32, more);
// for tests.
void proctor_kernels_multiply(int32_t type, int64_t columns, int32_t level);

// Returns the name of the level that multiplies these; NULL where no such weights have been packed since a level was installed.
const char *proctor_kernels_multiplier(int32_t type, int64_t columns);

// Adds the kernels to another ggml, whose backend for CPUs has this function, once a level is installed. NULL, or why they cannot be:
// until the next call.
const char *proctor_kernels_add(uintptr_t function);

// Sets whether the weights of models that are loaded from now on are packed.
void proctor_kernels_pack(bool on);

// Sets the NUMA nodes, a bit each, whose memory holds such weights; fewer than two: they lie where the system puts them.
void proctor_kernels_spread(uint64_t nodes);

// Says whether a matrix of weights of a ggml_type is packed, where weights are.
bool proctor_kernels_packs(int32_t type, int64_t columns, int64_t rows);

// Makes attention that is computed with these threads ours, or ggml's again, as it is without. keys and values are
// the block sizes by which a quantised cache is rotated, powers of two from 64 to 1024; 0 leaves it unrotated. Not while they compute.
void proctor_kernels_attach(const struct ggml_threadpool *threads, int32_t keys, int32_t values);
void proctor_kernels_detach(const struct ggml_threadpool *threads);

// Says whether a cache can be rotated: of the ggml that was added last, else of the one that is compiled in.
bool proctor_kernels_rotates(void);

// Sets which streams of a cache begin with the same cells, until the next call: group has each stream's prefix group, which has
// the number of one of its streams (-1: none), and length, at that place, how many cells are the same. The cache is that of the
// context whose threads these are, which are attached. 0 streams: nothing is known. Not while they compute.
void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *group, const int32_t *length);

// Returns the place of the largest of n scores, the first one of equals; -1 where a score is no number or none is finite.
int32_t proctor_kernels_argmax(const float *scores, int32_t n);

// A place whose prediction is wanted. scores are those of all tokens there; reference, which may be NULL, those of a second
// model. The log-probabilities of the tokens ask[ask_from] … ask[ask_to - 1] are told beside.
typedef struct {
	const float *scores, *reference;
	int32_t token, ask_from, ask_to;
} proctor_place;

// Natural logarithms, entropies in nat; rest is what all tokens but the top ones have together. What begins with reference, and
// kld = D(reference || model), is 0 without a reference.
typedef struct {
	double logprob, entropy, rest, reference_logprob, reference_entropy, kld;
	int32_t reference_top;
} proctor_prediction;

// Predicts n places of a vocabulary. top and top_logprobs have room for n_top numbers of each place, n_top at most the
// vocabulary; asked, and asked_reference for the second model, have as many as ask.
void proctor_kernels_predict(int32_t n, const proctor_place *places, int32_t vocabulary, int32_t n_top, const int32_t *ask,
	double *asked, double *asked_reference, int32_t *top, double *top_logprobs, proctor_prediction *predictions);

// Sets the level whose code these two are, the best one otherwise; -1: what the compiler's flags ask for; for tests.
void proctor_kernels_reduce(int32_t level);

#ifdef __cplusplus
}
#endif
