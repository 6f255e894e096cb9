#include "prefix_groups.h"

#include <atomic>
#include <map>
#include <mutex>

#include "kernels.h"

namespace kernels {
namespace {

std::mutex mutex;
std::map<const ggml_threadpool *, prefix_groups> known;
std::atomic<uint64_t> changes{0};       // of known: what a thread has looked up stays true until the next one
const prefix_groups *unnamed = nullptr; // of threads that are not in known

} // namespace

const prefix_groups *prefix_groups_of(const ggml_threadpool *threads) {
	static thread_local struct {
		const ggml_threadpool *threads;
		uint64_t changes;
		const prefix_groups *groups;
	} last;
	const uint64_t now = changes;
	if (last.threads != threads || last.changes != now) { // else many threads would wait for the lock, many times a token
		std::lock_guard<std::mutex> lock(mutex);
		auto found = known.find(threads);
		last = {threads, now, found == known.end() ? unnamed : &found->second};
	}
	return last.groups;
}

void attach_unnamed() {
	static const prefix_groups nothing_known(0, nullptr, nullptr);
	std::lock_guard<std::mutex> lock(mutex);
	unnamed = &nothing_known;
	changes++;
}

} // namespace kernels

void proctor_kernels_attach(const struct ggml_threadpool *threads) { proctor_kernels_share(threads, 0, nullptr, nullptr); }

void proctor_kernels_detach(const struct ggml_threadpool *threads) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.erase(threads);
	kernels::changes++;
}

void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *group, const int32_t *length) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.insert_or_assign(threads, kernels::prefix_groups(streams, group, length));
	kernels::changes++;
}
