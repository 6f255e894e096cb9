// What the streams of a cache have in common.
#pragma once

#include <cstdint>
#include <vector>

struct ggml_threadpool;

namespace kernels {

// Streams that begin with the same cells have the same leader, one of them.
class sharing {
	std::vector<int32_t> leaders, lengths;

  public:
	sharing(int32_t streams, const int32_t *leader, const int32_t *length) : leaders(leader, leader + streams), lengths(length, length + streams) {}

	// The leader of a stream; -1 where it has none.
	int32_t leader(int64_t stream) const { return stream < (int64_t) leaders.size() ? leaders[stream] : -1; }

	// How many cells those of a leader begin with alike.
	int32_t length(int32_t leader) const { return lengths[leader]; }
};

// Returns what is known of the cache that threads compute on; nullptr where their attention is ggml's.
const sharing *sharing_of(const ggml_threadpool *threads);

} // namespace kernels
