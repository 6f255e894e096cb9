package kernelstest

/*
#include <stdint.h>
#include <malloc.h>

// The bytes of all arenas and of what was mapped alone that are not freed; -1 where the C library does not tell.
static int64_t in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
	struct mallinfo2 info = mallinfo2();
	return (int64_t)(info.uordblks + info.hblkhd);
#else
	return -1;
#endif
}
*/
import "C"

// HeapInUse is how many bytes C and C++ have allocated and not freed; false where the C library does not tell (glibc does). What
// they freed and the library keeps for later is not counted, unlike in the resident memory of the process.
func HeapInUse() (bytes int, known bool) {
	n := int(C.in_use())
	return max(0, n), n >= 0
}
