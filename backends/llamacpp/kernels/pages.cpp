#include "pages.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "kernels.h"
#include "library.h"

#ifdef __linux__
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

std::atomic<uint64_t> nodes{0};

#ifdef __linux__
// Huge pages, where the system gives them to those who ask: weights are read from one end to the other for each token, and the CPU
// looks ahead to the end of a page; what a token sees of a cache lies in more small pages than a CPU knows the places of.
void ask_for_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
	madvise(memory, size, MADV_HUGEPAGE); // small ones do as well
#endif
}

// All threads read all weights, a share of each matrix: what one thread has packed would lie in its node's memory alone, and its
// channels would be all that there are. Who runs the program with a policy of their own has decided that.
void spread(void *memory, size_t size) {
	const uint64_t mask = nodes;
	int mode = MPOL_DEFAULT;
	const bool several = (mask & (mask - 1)) != 0;
	if (several && syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 && mode == MPOL_DEFAULT) {
		syscall(
			SYS_mbind, memory, size, MPOL_INTERLEAVE, &mask, 8 * sizeof mask + 1, 0); // elsewhere they lie where they would have
	}
}
#endif

struct range {
	char *first;
	size_t size;
};

#ifdef __linux__
// Returns the whole pages of a range.
range pages_of(const range &all) {
	const auto page = (uintptr_t) sysconf(_SC_PAGESIZE), begin = ((uintptr_t) all.first + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t) all.first + all.size) / page * page;
	return {(char *) begin, begin < end ? end - begin : 0};
}
#endif

// Asks the system to lay out memory, before anything is written there.
void lay_out(const range &memory) {
#ifdef __linux__
	if (const range pages = pages_of(memory); pages.size > 0) {
		ask_for_huge_pages(pages.first, pages.size);
		spread(pages.first, pages.size);
	}
#endif
}

// Fills memory. Pages of zeros are given back to the system, which gives others when they are read or written: a cache has room for the
// longest answers, and writing zeros to all of it would take longer than all else that comes before the first question.
void fill(const range &memory, uint8_t value) {
#ifdef __linux__
	if (const range pages = pages_of(memory);
		value == 0 && pages.size > 0 && madvise(pages.first, pages.size, MADV_DONTNEED) == 0) {
		memset(memory.first, 0, pages.first - memory.first);
		char *rest = pages.first + pages.size;
		memset(rest, 0, memory.first + memory.size - rest);
		return;
	}
#endif
	memset(memory.first, value, memory.size);
}

using allocate = ggml_backend_buffer_t (*)(ggml_backend_buffer_type_t type, size_t size);

// What allocates of a buffer type, and whose that is.
std::map<ggml_backend_buffer_type_t, std::pair<allocate, const kernels::ggml_library *>> allocates;

// The memory of buffers. One that is gone stays here, until another one has its address.
std::map<ggml_backend_buffer_t, range> buffers;
std::mutex buffers_change;

void clear(ggml_backend_buffer_t buffer, uint8_t value) {
	range memory;
	{
		const std::lock_guard<std::mutex> lock(buffers_change);
		memory = buffers.at(buffer);
	}
	fill(memory, value);
}

ggml_backend_buffer_t allocate_laid_out(ggml_backend_buffer_type_t type, size_t size) {
	const auto [as_before, ggml] = allocates.at(type);
	ggml_backend_buffer_t buffer = as_before(type, size);
	if (buffer != nullptr) {
		const range memory = {(char *) ggml->backend_buffer_get_base(buffer), size};
		lay_out(memory);
		((const void **) buffer)[ggml->in_buffer.clear] = (const void *) clear;
		const std::lock_guard<std::mutex> lock(buffers_change);
		buffers[buffer] = memory;
	}
	return buffer;
}

} // namespace

void kernels::lay_out_buffers(const ggml_library &of) {
	ggml_backend_buffer_type_t type = of.backend_cpu_buffer_type();
	auto &function = ((allocate *) type)[of.in_type.alloc_buffer];
	allocates[type] = {function, &of};
	function = allocate_laid_out;
}

void proctor_kernels_spread(uint64_t over) { nodes = over; }
