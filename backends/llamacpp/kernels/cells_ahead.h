// Cells of a cache that are attended next, brought into the L2 cache while others are multiplied.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// Cells first … end - 1 of a stream; none where end is not beyond first.
struct cache_cells {
	int64_t first, end, stream;
};

// A head's keys, or its values, of cells, a block at most. They are asked for a share at a time: a CPU waits where it is asked
// for more lines than the dozen that it can have under way.
class cells_ahead {
	const char *next;
	size_t apart, size;  // bytes
	int64_t left, share; // cells

  public:
	cells_ahead(const ggml_tensor *t, int64_t head, cache_cells cells, int64_t steps)
		: next(tensor_at<char>(t, cells.first, head, cells.stream)), apart(t->nb[1]), size(ggml_row_size(t->type, t->ne[0])),
		  left(cells.end - cells.first), share((left + steps - 1) / steps) {}

	// Asks for a step's share.
	void step() {
		for (const int64_t rest = left - share; left > 0 && left > rest; left--, next += apart) {
			for (size_t i = 0; i < size; i += cache_line) {
				_mm_prefetch(next + i, _MM_HINT_T1);
			}
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
