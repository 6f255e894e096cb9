package kernelstest

// #include <stdlib.h>
// #include "library.h"
import "C"

import "unsafe"

// LibraryWith is why the kernels refuse a ggml that has one function otherwise than ours, or which operations they take of it.
func LibraryWith(changed string) string {
	name := C.CString(changed)
	defer C.free(unsafe.Pointer(name))
	return C.GoString(C.proctor_library_with(name))
}
