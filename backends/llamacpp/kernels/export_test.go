package kernels

import "os"

// Levels are the names of those that this CPU can compute with, best first, or of the one that is asked for.
func Levels() []string {
	var names []string
	for _, l := range levels() {
		if len(l.lacks) == 0 && (!Forced() || l.name == os.Getenv(LevelVariable)) {
			names = append(names, l.name)
		}
	}
	return names
}

// Use computes with a level from now on.
func Use(name string) {
	for i, l := range levels() {
		if l.name == name && Available() {
			install(i)
		}
	}
}
