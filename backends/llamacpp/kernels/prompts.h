// What threads multiply with while they compute prompts' tokens, where that has other bits than what multiplies all else.
#pragma once

struct ggml_threadpool;

namespace kernels {

struct level;

// Returns the level that threads multiply with as long as they compute prompts' tokens; nullptr: as they do always.
const level *prompt_level_of(const ggml_threadpool *threads);

} // namespace kernels
