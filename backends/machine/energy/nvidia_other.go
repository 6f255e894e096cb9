//go:build !linux

package energy

// nvidia reads none: the library is loaded on Linux alone.
func nvidia(string) (all []counter, why string) {
	return nil, "the GPUs' energy is not readable: it is read on Linux alone"
}
