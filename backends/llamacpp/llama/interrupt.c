#include "interrupt.h"

int64_t proctor_operations = 0;

bool proctor_interrupted(void *cancelled) {
	__atomic_fetch_add(&proctor_operations, 1, __ATOMIC_RELAXED);
	return __atomic_load_n((int32_t *) cancelled, __ATOMIC_RELAXED) != 0;
}
