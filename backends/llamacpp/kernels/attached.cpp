#include "attached.h"

#include <atomic>
#include <map>
#include <mutex>

#include "kernels.h"

namespace kernels {
namespace {

std::mutex mutex;
std::map<const ggml_threadpool *, attached_cache> known;
std::atomic<uint64_t> changes{0};        // of known: what a thread has looked up stays true until the next one
const attached_cache *unnamed = nullptr; // of threads that are not in known

} // namespace

std::atomic<bool> others_attend{false};

const attached_cache *attached_to(const ggml_threadpool *threads) {
	static thread_local struct {
		const ggml_threadpool *threads;
		uint64_t changes;
		const attached_cache *cache;
	} last;
	const uint64_t now = changes;
	if (last.threads != threads || last.changes != now) { // else many threads would wait for the lock, many times a token
		std::lock_guard<std::mutex> lock(mutex);
		auto found = known.find(threads);
		last = {threads, now, found == known.end() ? unnamed : &found->second};
	}
	return last.cache;
}

void attach_unnamed() {
	static const attached_cache nothing_known{{0, nullptr, nullptr}, {}};
	std::lock_guard<std::mutex> lock(mutex);
	unnamed = &nothing_known;
	changes++;
}

} // namespace kernels

void proctor_kernels_attach(const struct ggml_threadpool *threads, int32_t keys, int32_t values) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.insert_or_assign(threads, kernels::attached_cache{{0, nullptr, nullptr}, {keys, values}});
	kernels::others_attend = false;
	kernels::changes++;
}

void proctor_kernels_detach(const struct ggml_threadpool *threads) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.erase(threads);
	kernels::changes++;
}

void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *group, const int32_t *length) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.at(threads).groups = kernels::prefix_groups(streams, group, length);
	kernels::changes++;
}
