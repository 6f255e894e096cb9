package kernels

// Levels are the names of those that this CPU can compute with, best first, or of the one that is asked for.
func Levels() []string {
	if name, err := Level(); Forced() && err == nil {
		return []string{name}
	}
	return Supported()
}

// Use computes with a level from now on.
func Use(name string) {
	for _, l := range levels(false) {
		if l.name == name && Available() {
			l.install()
		}
	}
}
