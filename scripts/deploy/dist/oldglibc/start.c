// Since 2.34 the C library runs a program's initialisers itself; before, the program told it how. It is told again: the
// start-up code of the machine where the program is linked does not any more, and then an old library would run none.
#if defined(__x86_64__)
__asm__(".symver old_libc_start_main, __libc_start_main@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver old_libc_start_main, __libc_start_main@GLIBC_2.17");
#endif

typedef int program(int, char **, char **);
typedef void initialiser(int, char **, char **);

extern int old_libc_start_main(program *, int, char **, initialiser *, void (*)(void), void (*)(void), void *);
extern void _init(void);
extern initialiser *const __init_array_start[] __attribute__((visibility("hidden")));
extern initialiser *const __init_array_end[] __attribute__((visibility("hidden")));

static void initialise(int count, char **arguments, char **environment) {
	_init();
	for (initialiser *const *each = __init_array_start; each < __init_array_end; each++) {
		(*each)(count, arguments, environment);
	}
}

__attribute__((visibility("hidden"))) int __libc_start_main(program *entry, int count, char **arguments, initialiser *unused,
		void (*finish)(void), void (*loader_finish)(void), void *stack) {
	(void) unused;
	return old_libc_start_main(entry, count, arguments, initialise, finish, loader_finish, stack);
}
