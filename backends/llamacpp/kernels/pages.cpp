#include "pages.h"

#include <atomic>
#include <cstdint>
#include <map>
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

// Asks the system to lay out memory, before anything is written there.
void lay_out(void *memory, size_t size) {
#ifdef __linux__
	const auto page = (uintptr_t) sysconf(_SC_PAGESIZE), begin = ((uintptr_t) memory + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t) memory + size) / page * page;
	if (begin < end) {
		ask_for_huge_pages((void *) begin, end - begin);
		spread((void *) begin, end - begin);
	}
#endif
}

} // namespace

namespace {

using allocate = ggml_backend_buffer_t (*)(ggml_backend_buffer_type_t type, size_t size);

// What allocates of a buffer type, and whose that is.
std::map<ggml_backend_buffer_type_t, std::pair<allocate, const kernels::ggml_library *>> allocates;

ggml_backend_buffer_t allocate_laid_out(ggml_backend_buffer_type_t type, size_t size) {
	const auto [as_before, ggml] = allocates.at(type);
	ggml_backend_buffer_t buffer = as_before(type, size);
	if (buffer != nullptr) {
		lay_out(ggml->backend_buffer_get_base(buffer), size);
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
