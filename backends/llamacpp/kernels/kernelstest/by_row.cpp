#include "operations.h"

#include <cstring>

#include "scalar.h"

// Operations by their names, as graphs and one number after the other.

namespace {

struct named {
	const char *name;
	ggml_tensor *(*build)(ggml_context *context, ggml_tensor *x, ggml_tensor *gate);
	void (*scalar)(const float *x, const float *gate, int64_t size, float *to);
};

template <float of(float)> void each(const float *x, const float *, int64_t size, float *to) {
	for (int64_t i = 0; i < size; i++) {
		to[i] = of(x[i]);
	}
}

template <float of(float, float)> void gated(const float *x, const float *gate, int64_t size, float *to) {
	for (int64_t i = 0; i < size; i++) {
		to[i] = of(x[i], gate[i]);
	}
}

template <ggml_tensor *build(ggml_context *, ggml_tensor *)>
ggml_tensor *of_one(ggml_context *context, ggml_tensor *x, ggml_tensor *) {
	return build(context, x);
}

const named operations[] = {
	{"silu", of_one<ggml_silu>, each<proctor_scalar_silu>},
	{"sigmoid", of_one<ggml_sigmoid>, each<proctor_scalar_sigmoid>},
	{"tanh", of_one<ggml_tanh>, each<proctor_scalar_tanh>},
	{"exp", of_one<ggml_exp>, each<proctor_scalar_exp>},
	{"softplus", of_one<ggml_softplus>, each<proctor_scalar_softplus>},
	{"swiglu", ggml_swiglu_split, gated<proctor_scalar_swiglu>},
	{"swiglu_oai", [](ggml_context *c, ggml_tensor *x, ggml_tensor *gate) { return ggml_swiglu_oai(c, x, gate, 1.702f, 7); },
		gated<proctor_scalar_swiglu_oai>},
	{"soft_max", of_one<ggml_soft_max>, proctor_scalar_soft_max},
	{"norm", [](ggml_context *c, ggml_tensor *x, ggml_tensor *) { return ggml_norm(c, x, 1e-5f); }, proctor_scalar_norm},
};

const named &find(const char *name) {
	const named *one = operations;
	while (strcmp(one->name, name) != 0) {
		one++;
	}
	return *one;
}

} // namespace

ggml_tensor *proctor_by_row_build(const char *name, ggml_context *context, ggml_tensor *x, ggml_tensor *gate) {
	return find(name).build(context, x, gate);
}

void proctor_scalar_by_row(proctor_by_row r, float *to) {
	for (int64_t row = 0; row < r.rows; row++) {
		const float *gate = r.gates == nullptr ? nullptr : r.gates + row * r.width;
		find(r.name).scalar(r.from + row * r.width, gate, r.width, to + row * r.width);
	}
}
