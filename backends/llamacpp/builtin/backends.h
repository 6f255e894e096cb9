#pragma once

#include "ggml-backend.h"

#include <vector>

// While one of these lives, the backends that its thread frees stay; they are freed when it ends.
//
// llama.cpp's context frees its backends before its scheduler, and the scheduler of this llama.cpp asks each of its backends
// for something when it is freed: it reads memory that another thread may have by then, or nobody.
class proctor_backends_kept {
public:
	proctor_backends_kept();
	~proctor_backends_kept();
	proctor_backends_kept(const proctor_backends_kept &) = delete;
	proctor_backends_kept &operator=(const proctor_backends_kept &) = delete;

private:
	std::vector<ggml_backend_t> freed;
};
