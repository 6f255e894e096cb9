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
	for _, l := range levels() {
		if l.name == name && Available() {
			l.install()
		}
	}
}

// Multiply sets the level that multiplies weights of a type with a number of columns, whichever level packed them.
func Multiply(kind, columns int, name string) {
	c, err := bound()
	if err != nil {
		return
	}
	for _, l := range levels() {
		if l.name == name {
			c.Multiply(int32(kind), int64(columns), l.number)
		}
	}
}

// Multiplier is the name of the level that multiplies weights of a type with a number of columns.
func Multiplier(kind, columns int) string {
	c, _ := bound()
	return c.Multiplier(int32(kind), int64(columns))
}

// Measure has the levels measured with the first weights that are packed from now on.
func Measure() {
	c, _ := bound()
	c.Measure()
}

// Reduce has a level reduce scores; "" is what the compiler's flags ask for.
func Reduce(name string) {
	c, _ := Reducing()
	number := int32(-1)
	for _, l := range levels() {
		if l.name == name {
			number = l.number
		}
	}
	c.Reduce(number)
}
