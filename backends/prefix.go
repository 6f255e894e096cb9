package backends

// CommonPrefix counts the elements that a and b begin with alike. A backend evaluates what its cache has of a prompt no
// second time, so the tokens that prompts have in common are counted in many places.
func CommonPrefix[E comparable](a, b []E) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
