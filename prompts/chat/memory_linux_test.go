//go:build !race

package chat

import (
	"syscall"
	"testing"
)

// TestAHostileTemplateTakesLittleMemory is told by the system what the largest of all children took.
func TestAHostileTemplateTakesLittleMemory(t *testing.T) {
	for _, name := range []string{"a long loop", "a long text", "a text that grows"} {
		if _, err := apart().Render(Job{Source: hostile[name].source, Variables: []byte("{}")}); err == nil {
			t.Errorf("%s ended well", name)
		}
	}
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		t.Fatal(err)
	}
	if took := children.Maxrss * 1024; took > maxMemory*5/4 { // its code counts, too
		t.Errorf("a child took %d bytes, more than %d", took, maxMemory)
	}
}
