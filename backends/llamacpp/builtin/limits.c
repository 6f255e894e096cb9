// The first thing that a program does which contains the engine, after the look at the CPU: it looks whether the limits of the process
// leave room for the program itself. Where they do not, it would die of a trace, in Go's runtime or in one of its threads, before or
// after it could say why.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/resource.h>

// What it takes: Go's runtime sets address space aside, and so do the heaps of threads; and what the engine calls lies on their stacks.
enum { least_address_space = 2 << 20, least_stack = 256 }; // KiB

static void require(int resource, const char *flag, const char *what, unsigned long least) {
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >> 10 >= least) {
		return;
	}
	char text[200];
	snprintf(text, sizeof text, "proctor: ulimit %s is %lu KiB, and this program needs %lu of %s: raise it, or leave it out\n", flag,
		(unsigned long) (limit.rlim_cur >> 10), least, what);
	const ssize_t written = write(STDERR_FILENO, text, strlen(text));
	(void) written; // there is nobody else to tell
	_exit(2);
}

// Runs before C++'s and Go's initialisers.
__attribute__((constructor(102))) static void check_limits(void) {
	require(RLIMIT_AS, "-v", "address space, and a model's size besides", least_address_space);
	require(RLIMIT_STACK, "-s", "stack", least_stack);
}
#endif
