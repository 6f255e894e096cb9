#include "functions.h" // says how the headers come here, where they are not

#include "abort.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

static ggml_abort_callback_t tell = nullptr;

[[noreturn]] static void give_up(const char *reason) {
	if (tell != nullptr) {
		tell(reason);
	}
	abort();
}

ggml_abort_callback_t proctor_abort_install(ggml_abort_callback_t gave_up) {
	tell = gave_up;
	ggml_set_abort_callback(gave_up);
	std::set_terminate([] {
		try {
			if (std::exception_ptr thrown = std::current_exception()) {
				std::rethrow_exception(thrown);
			}
		} catch (const std::exception &e) {
			give_up(e.what());
		} catch (...) {
			give_up("an exception of an unknown type");
		}
		give_up("std::terminate was called");
	});
	return nullptr;
}

#ifdef __GLIBC__
// What assert() calls, taken from the C library: it would end the process with a message of its own.
extern "C" void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *) noexcept {
	char reason[1024];
	snprintf(reason, sizeof(reason), "%s:%u: assert(%s) failed", file, line, assertion);
	give_up(reason);
}
#endif
