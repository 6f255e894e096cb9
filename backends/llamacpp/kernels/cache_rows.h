// Rows of a cache, a block's cells of a head's keys or values, read as floats; zeros beyond them.
#pragma once

#include "gemm_f16.h"

namespace kernels::PROCTOR_LEVEL {

// Rows of halves, whole vectors of them.
struct half_rows {
	half_cells cells;
	int64_t size; // values of a row

	f32x16 at(int64_t cell, int64_t i) const { return cell < cells.count && i < size ? load_f16(cells.at(cell) + i) : zeros(); }
};

struct float_rows {
	const char *first;
	size_t stride; // bytes
	int64_t count, size;

	f32x16 at(int64_t cell, int64_t i) const {
		return cell < count && i < size ? load_first((const float *) (first + cell * stride) + i, size - i) : zeros();
	}
};

} // namespace kernels::PROCTOR_LEVEL
