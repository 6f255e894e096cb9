package kernels

// #include "kernels.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// LevelVariable is the environment variable that names the level to compute with instead of the best one; it is for tests.
const LevelVariable = "PROCTOR_KERNELS_LEVEL"

// Level is the name of what the kernels compute with on this CPU, such as avx512; "" where they have nothing for it. It
// adds the kernels to ggml.
var Level = sync.OnceValues(func() (string, error) {
	names, available := levels()
	i, err := choose(names, available, os.Getenv(LevelVariable))
	if err != nil || i < 0 {
		return "", err
	}
	C.proctor_kernels_install(C.int32_t(i))
	return names[i], nil
})

// levels are those that this program has, best first, and which of them this CPU can compute with.
func levels() (names []string, available []bool) {
	for i := C.int32_t(0); ; i++ {
		name := C.proctor_kernels_level(i)
		if name == nil {
			return names, available
		}
		names = append(names, C.GoString(name))
		available = append(available, bool(C.proctor_kernels_level_available(i)))
	}
}

// choose returns the best available level, or the one that is asked for; -1 where there is none.
func choose(names []string, available []bool, asked string) (int, error) {
	for i, name := range names {
		switch {
		case asked == "" && available[i], asked == name && available[i]:
			return i, nil
		case asked == name:
			return -1, fmt.Errorf("kernels: %s=%s: this CPU cannot compute with that level; unset it for the best that it can",
				LevelVariable, asked)
		}
	}
	if asked != "" {
		return -1, fmt.Errorf("kernels: %s=%s: no such level: there are %q", LevelVariable, asked, strings.Join(names, ", "))
	}
	return -1, nil
}
