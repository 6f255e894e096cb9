// Signals that the engine dies of.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Has signals such as SIGSEGV, where the code that gets them is none of Go's, written to a pipe, a byte with the signal's number; the
// thread then waits for the process to end, and ends it with 4 after so many seconds. Go's code lies from one address to another; what
// it gets stays Go's.
void proctor_deaths_watch(uintptr_t go_begin, uintptr_t go_end, int pipe, unsigned seconds);

#ifdef __cplusplus
}
#endif
