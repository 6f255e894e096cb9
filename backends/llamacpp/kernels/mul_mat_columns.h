// Which matrix of weights a column of activations is multiplied with.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// A column of activations and its product.
struct column {
	const float *from;
	float *to;
};

// Returns the expert that a token is given to, the i1-th of its own.
inline int64_t expert_of(const ggml_tensor *ids, int64_t i1, int64_t token, int64_t experts) {
	const int32_t expert = *(const int32_t *) ((char *) ids->data + i1 * ids->nb[0] + token * ids->nb[1]);
	GGML_ASSERT(expert >= 0 && expert < experts && "a token is given to an expert that there is not");
	return expert;
}

// Writes the columns of an operation by the matrices of its weights, those of a matrix filling panels of so many, the last
// of them up with nullptr; where each matrix's columns end; and the first panel of each, and beyond the last.
//
// The matrices of GGML_OP_MUL_MAT lie beside those of the activations, which may be several times as many; those of
// GGML_OP_MUL_MAT_ID are experts, and its ids say which of them have a token's columns.
inline void sort_columns(const ggml_tensor *op, int panel_columns, column *to, int64_t *end, int64_t *first_panel) {
	const ggml_tensor *weights = op->src[0], *activations = op->src[1],
					  *ids = op->op == GGML_OP_MUL_MAT_ID ? op->src[2] : nullptr;
	const int64_t matrices = weights->ne[2] * weights->ne[3];
	const int64_t times_2 = op->ne[2] / weights->ne[2], times_3 = op->ne[3] / weights->ne[3];
	auto at = [](const ggml_tensor *t, int64_t i1, int64_t i2, int64_t i3) {
		return (float *) ((char *) t->data + i1 * t->nb[1] + i2 * t->nb[2] + i3 * t->nb[3]);
	};
	auto each = [&](auto use) {
		for (int64_t i3 = 0; i3 < op->ne[3]; i3++) {
			for (int64_t i2 = 0; i2 < op->ne[2]; i2++) {
				for (int64_t i1 = 0; i1 < op->ne[1]; i1++) {
					const column c = {at(activations, ids == nullptr ? i1 : i1 % activations->ne[1], i2, i3), at(op, i1, i2, i3)};
					if (ids == nullptr) {
						use(i3 / times_3 * weights->ne[2] + i2 / times_2, c);
					} else {
						use(expert_of(ids, i1, i2, matrices), c);
					}
				}
			}
		}
	};
	std::fill(end, end + matrices, 0);
	each([&](int64_t matrix, column) { end[matrix]++; });
	first_panel[0] = 0;
	for (int64_t m = 0; m < matrices; m++) {
		first_panel[m + 1] = first_panel[m] + (end[m] + panel_columns - 1) / panel_columns;
		end[m] = first_panel[m] * panel_columns;
	}
	std::fill(to, to + first_panel[matrices] * panel_columns, column{nullptr, nullptr});
	each([&](int64_t matrix, column c) { to[end[matrix]++] = c; });
}

} // namespace kernels::PROCTOR_LEVEL
