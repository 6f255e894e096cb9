// One of the threads that compute an operation.
#pragma once

struct ggml_threadpool;

namespace kernels {

struct attached_cache;
struct ggml_library;

// What ggml tells each thread, whichever ggml it is.
struct compute_params {
	int ith, nth; // the thread's number, and how many there are
	void *wdata;  // memory of all threads: as much as work_size has asked for
	ggml_threadpool *threadpool;
	const ggml_library *ggml;    // that has the threads
	const attached_cache *cache; // that they compute on; nullptr where that is not asked for

	void wait() const; // for the other threads

	// The threads share out chunks by a number that they have in common.
	void set_chunk(int next) const;
	int next_chunk() const;
};

} // namespace kernels
