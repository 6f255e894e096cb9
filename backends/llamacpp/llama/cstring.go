package llama

import "unsafe"

// goString is a C string's text; "" for NULL.
func goString(c *byte) string {
	if c == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(c), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(c, n))
}

// cString is a text for C, with its 0 at the end, which lives as long as Go refers to it.
func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
