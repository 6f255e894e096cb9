// What the scores of a decode say of the tokens that follow.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the place of the largest of n scores, the first one of equals; -1 where a score is no number or none is finite.
int32_t proctor_argmax(const float *scores, int32_t n);

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
void proctor_predict(int32_t n, const proctor_place *places, int32_t vocabulary, int32_t n_top, const int32_t *ask, double *asked,
	double *asked_reference, int32_t *top, double *top_logprobs, proctor_prediction *predictions);

#ifdef __cplusplus
}
#endif
