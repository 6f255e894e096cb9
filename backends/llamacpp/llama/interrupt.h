// Ending a decode from another thread, and seeing that it gets on.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// How many operations all engines have computed on the CPU, each a node of a graph. It is atomic, and grows while they get on.
extern int64_t proctor_operations;

// A ggml_abort_callback: ggml asks after each operation on the CPU whether to end. cancelled is an atomic int32_t.
bool proctor_interrupted(void *cancelled);
