#define _GNU_SOURCE 1 // for REG_RIP
#include "deaths.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int watched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[NSIG]; // Go's
static uintptr_t begin, end;
static int to;
static unsigned patience;

static uintptr_t at(const void *context) {
	const ucontext_t *c = (const ucontext_t *) context;
#if defined(__x86_64__)
	return (uintptr_t) c->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t) c->uc_mcontext.pc;
#endif
}

static void die(int signal, siginfo_t *info, void *context) {
	if (at(context) >= begin && at(context) < end) {
		before[signal].sa_sigaction(signal, info, context);
		return;
	}
	const char number = (char) signal;
	if (write(to, &number, 1) == 1) {
		sleep(patience);
	}
	_exit(4);
}

void proctor_deaths_watch(uintptr_t go_begin, uintptr_t go_end, int pipe, unsigned seconds) {
	begin = go_begin;
	end = go_end;
	to = pipe;
	patience = seconds;
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
		struct sigaction ours;
		sigaction(watched[i], NULL, &before[watched[i]]);
		if (!(before[watched[i]].sa_flags & SA_SIGINFO)) {
			continue; // not Go's
		}
		ours = before[watched[i]]; // its flags and mask: on the thread's stack for signals
		ours.sa_sigaction = die;
		sigaction(watched[i], &ours, NULL);
	}
}

#else

void proctor_deaths_watch(uintptr_t go_begin, uintptr_t go_end, int pipe, unsigned seconds) {
	(void) go_begin, (void) go_end, (void) pipe, (void) seconds; // they stay Go's
}

#endif
