// What scores of tokens are reduced to.
#pragma once

#include "kernels.h"

#include <cmath>
#include <cstring>

namespace kernels {

struct reductions {
	decltype(&proctor_kernels_argmax) argmax;
	decltype(&proctor_kernels_predict) predict;
};

} // namespace kernels
