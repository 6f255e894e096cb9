// What is known of the cache that threads compute on.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

struct ggml_threadpool;

namespace kernels {

// Streams that begin with the same cells are a prefix group. It has the number of one of them.
class prefix_groups {
	std::vector<int32_t> groups, cells;

  public:
	prefix_groups(int32_t streams, const int32_t *group, const int32_t *length)
		: groups(group, group + streams), cells(length, length + streams) {}

	// How many streams the cache has, as far as they hold anything.
	int64_t streams() const { return (int64_t) groups.size(); }

	// The group of a stream; -1 where it is in none.
	int32_t of(int64_t stream) const { return stream < (int64_t) groups.size() ? groups[stream] : -1; }

	// How many cells a group's streams begin with alike.
	int32_t length(int32_t group) const { return cells[group]; }
};

// The rotation of a quantised cache: https://github.com/ggml-org/llama.cpp/pull/21038. Keys and values are cut into blocks of this size,
// a power of two from 64 to 1024, and each block is multiplied by the normalised Hadamard matrix; 0 stores them unchanged. A rotation
// spreads an outlier over its whole block, so that the groups of 32 that share a scale lose less. The matrix is its own inverse.
struct rotation {
	int64_t keys = 0, values = 0;
	bool any() const { return keys != 0 || values != 0; }
};

struct attached_cache {
	prefix_groups groups;
	rotation rotates;
};

// Returns what is known of the cache that threads compute on; nullptr where they compute all but products as ggml does.
const attached_cache *attached_to(const ggml_threadpool *threads);

// Whether a graph, since threads were attached last, has attention to a quantised cache that the kernels do not compute.
extern std::atomic<bool> others_attend;

// Has threads that nobody names compute everything with the kernels, of whose caches nothing is known.
void attach_unnamed();

} // namespace kernels
