// What the C library of the machine where the program is linked has, and that of glibc 2.28 has not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Libraries that are loaded later must find the C library's own.
#pragma GCC visibility push(hidden)

// 2.32: whether the process has one thread, so that counting references needs no atomics. It may say no.
char __libc_single_threaded = 0;

// 2.33: inline functions of the headers before. The kernel's structure is the library's on these architectures.
int stat(const char *restrict path, struct stat *restrict to) { return syscall(SYS_newfstatat, AT_FDCWD, path, to, 0); }
int lstat(const char *restrict path, struct stat *restrict to) { return syscall(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW); }
int fstat64(int file, struct stat64 *to) { return syscall(SYS_fstat, file, to); }

// 2.29
int getcpu(unsigned *cpu, unsigned *node) { return syscall(SYS_getcpu, cpu, node, NULL); }

// 2.36
uint32_t arc4random(void) {
	uint32_t number;
	while (syscall(SYS_getrandom, &number, sizeof number, 0) != sizeof number) {
		if (errno != EINTR) {
			abort();
		}
	}
	return number;
}

struct sought {
	uintptr_t address;
	struct dl_find_object *found;
};

// Fills in what was sought, where it is in this object, and ends the search.
static int look(struct dl_phdr_info *object, size_t size, void *data) {
	(void) size;
	const struct sought *sought = data;
	const ElfW(Phdr) *within = NULL, *frames = NULL;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD && sought->address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
			within = segment;
		}
		if (segment->p_type == DLFO_EH_SEGMENT_TYPE) {
			frames = segment;
		}
	}
	if (within == NULL || frames == NULL) {
		return within != NULL ? -1 : 0;
	}
	*sought->found = (struct dl_find_object) {
		.dlfo_map_start = (void *) (object->dlpi_addr + within->p_vaddr),
		.dlfo_map_end = (void *) (object->dlpi_addr + within->p_vaddr + within->p_memsz),
		.dlfo_eh_frame = (void *) (object->dlpi_addr + frames->p_vaddr),
	};
	return 1;
}

// 2.35: how GCC's unwinder finds the frames of an exception.
int _dl_find_object(void *address, struct dl_find_object *found) {
	struct sought sought = {(uintptr_t) address, found};
	return dl_iterate_phdr(look, &sought) == 1 ? 0 : -1;
}
