#include "prefix_groups.h"

#include <map>
#include <mutex>

#include "kernels.h"

namespace kernels {
namespace {

std::mutex mutex;
std::map<const ggml_threadpool *, prefix_groups> known;

} // namespace

const prefix_groups *prefix_groups_of(const ggml_threadpool *threads) {
	std::lock_guard<std::mutex> lock(mutex);
	auto found = known.find(threads);
	return found == known.end() ? nullptr : &found->second;
}

} // namespace kernels

void proctor_kernels_attach(const struct ggml_threadpool *threads) {
	proctor_kernels_share(threads, 0, nullptr, nullptr);
}

void proctor_kernels_detach(const struct ggml_threadpool *threads) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.erase(threads);
}

void proctor_kernels_share(const struct ggml_threadpool *threads, int32_t streams, const int32_t *group, const int32_t *length) {
	std::lock_guard<std::mutex> lock(kernels::mutex);
	kernels::known.insert_or_assign(threads, kernels::prefix_groups(streams, group, length));
}
