package servers

import "sync"

// Guarded is a value that several goroutines read and change.
type Guarded[T any] struct {
	mu    sync.Mutex
	value T
}

// Get returns the value as it is now.
func (g *Guarded[T]) Get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.value
}

// Change changes the value.
func (g *Guarded[T]) Change(change func(value *T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.value)
}
