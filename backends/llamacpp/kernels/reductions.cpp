#include "reductions.h"

#include "level.h"

#define PROCTOR_LEVEL plain
#include "reductions_of.h"

namespace {

// Returns what reduces scores on this CPU.
const kernels::reductions *&reduces() {
	static const kernels::reductions *by = [] {
		for (const kernels::level *l = kernels::levels(); l->name != nullptr; l++) {
			if (kernels::lacking(*l, 0) == nullptr) {
				return l->reduces;
			}
		}
		return &kernels::plain::reduces;
	}();
	return by;
}

} // namespace

void proctor_kernels_reduce(int32_t level) {
	reduces() = level < 0 ? &kernels::plain::reduces : kernels::levels()[level].reduces;
}

int32_t proctor_kernels_argmax(const float *scores, int32_t n) { return reduces()->argmax(scores, n); }

void proctor_kernels_predict(int32_t n, const proctor_place *places, int32_t vocabulary, int32_t n_top, const int32_t *ask,
	double *asked, double *asked_reference, int32_t *top, double *top_logprobs, proctor_prediction *predictions) {
	reduces()->predict(n, places, vocabulary, n_top, ask, asked, asked_reference, top, top_logprobs, predictions);
}
