// Chunks of the cache that a group of streams goes through.
#pragma once

#include "queries.h"

namespace kernels::PROCTOR_LEVEL {

// One after the other: with the queries of all streams where they share cells of a chunk, and of what is a stream's own, once
// for each stream.
class group_chunks {
	const queries &some;
	const stream_group &group;
	const int64_t *streams;
	int64_t first, end, stream = 0; // what comes next; the cells' end

  public:
	// Those that lie between cells first and end - 1; the first stream's number is streams[0].
	group_chunks(const queries &some, const stream_group &group, const int64_t *streams, int64_t first, int64_t end)
		: some(some), group(group), streams(streams), first(first), end(end) {}

	// Writes what is attended together next; nothing where nobody sees a cell any more.
	void next(seen_blocks &to) {
		constexpr int64_t cells = flash_attn_op::chunk_cells;
		for (to.count = 0; to.count == 0 && first < end;) {
			const int64_t chunk_end = std::min((first / cells + 1) * cells, end),
						  shared = std::clamp(group.shared, first, chunk_end);
			const bool all = shared > first;
			to.from = all ? 0 : stream;
			to.to = all ? group.count : stream + 1;
			some.see({first, shared, streams[0]}, 0, group.count, to);
			for (int64_t s = to.from; s < to.to; s++) {
				some.see({shared, chunk_end, streams[s]}, s, s + 1, to);
			}
			stream = to.to == group.count ? 0 : to.to;
			first = stream == 0 ? chunk_end : first;
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
