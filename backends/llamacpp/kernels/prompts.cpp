#include "prompts.h"

#include <atomic>
#include <map>
#include <mutex>

#include "kernels.h"
#include "level.h"

namespace {

std::mutex mutex;
std::map<const ggml_threadpool *, const kernels::level *> levels;
std::atomic<bool> ever{false}; // whether levels has ever had an entry: until then nobody takes the lock

} // namespace

const kernels::level *kernels::prompt_level_of(const ggml_threadpool *threads) {
	if (!ever) {
		return nullptr;
	}
	std::lock_guard<std::mutex> lock(mutex);
	auto found = ::levels.find(threads);
	return found == ::levels.end() ? nullptr : found->second;
}

void proctor_kernels_prompts(const struct ggml_threadpool *threads, int32_t level) {
	std::lock_guard<std::mutex> lock(mutex);
	if (level < 0) {
		levels.erase(threads);
	} else {
		levels[threads] = &kernels::levels()[level];
		ever = true;
	}
}
