#include "engine.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

extern "C" void proctorAbort(char *reason); // written in Go

[[noreturn]] static void give_up(const char *reason) {
	proctorAbort(const_cast<char *>(reason));
	abort();
}

void proctor_abort_install(void) {
	ggml_set_abort_callback([](const char *reason) { proctorAbort(const_cast<char *>(reason)); });
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
}

#ifdef __GLIBC__
// What assert() calls, taken from the C library: it would end the process with a message of its own.
extern "C" void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *) noexcept {
	char reason[1024];
	snprintf(reason, sizeof(reason), "%s:%u: assert(%s) failed", file, line, assertion);
	give_up(reason);
}
#endif
