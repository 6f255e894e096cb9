// A program takes the newest version of each function that the C library of the machine has where it is linked, and then
// needs a library as new. For those whose newest version does the same as the oldest, this takes the oldest: what the
// program calls by NAME is a jump to NAME of that version. The references are found in libpthread, libdl and libresolv
// where these are libraries of their own (before glibc 2.34).

#if defined(__x86_64__)
#define FIRST GLIBC_2.2.5
#define AFFINITY GLIBC_2.3.4
#define JUMP(target) jmp target@PLT
#elif defined(__aarch64__)
#define FIRST GLIBC_2.17
#define AFFINITY GLIBC_2.17
#define JUMP(target) b target
#else
#error "oldglibc: the first versions of this architecture's C library are not known here"
#endif

// Hidden: libraries that are loaded later must find the C library's own.
.macro old name, version, as
	.symver old_\name, \as@\version
	.text
	.globl \name
	.hidden \name
	.type \name, %function
\name:
	JUMP(old_\name)
	.size \name, . - \name
.endm

.macro first names:vararg
	.irp name, \names
	old \name, FIRST, \name
	.endr
.endm

first dladdr, dlclose, dlerror, dlopen, dlsym
first pthread_attr_getstack, pthread_attr_getstacksize, pthread_getattr_np
first pthread_create, pthread_detach, pthread_join, pthread_once, pthread_sigmask
first __pthread_key_create, pthread_getspecific, pthread_key_create, pthread_key_delete, pthread_setspecific
first pthread_rwlock_rdlock, pthread_rwlock_unlock, pthread_rwlock_wrlock
// These set errno in another way, and have the same values.
first exp, exp2, log, log2, pow
old pthread_getaffinity_np, AFFINITY, pthread_getaffinity_np
old pthread_setaffinity_np, AFFINITY, pthread_setaffinity_np
old res_search, FIRST, __res_search

.section .note.GNU-stack, "", %progbits
