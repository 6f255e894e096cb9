// A ggml that is otherwise than the kernels know it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Returns why the kernels refuse a ggml, one of whose functions is not as here, or what they take of it: until the next call. "" for
// none that differs, "larger buffer types" for functions added to those, "an added function of buffers" where the CPU's has one of them.
const char *proctor_library_with(const char *changed);

#ifdef __cplusplus
}
#endif
