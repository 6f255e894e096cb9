// Where packed weights lie in the machine's memory.
#pragma once

#include <cstddef>

namespace kernels {

// Asks the system to lay out memory for weights, before anything is written there.
void lay_out(void *memory, size_t size);

} // namespace kernels
