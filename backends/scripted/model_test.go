package scripted_test

import (
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/scripted"
)

func TestContract(t *testing.T) {
	for name, model := range map[string]*scripted.Model{
		"one slot":   {},
		"five slots": {Slots: 5, Context: 1024},
		"slowly":     {Slots: 2, Context: 512, Delay: 10 * time.Microsecond},
		"in many scripts": {Slots: 3, Answer: func(backends.Request) string {
			return "Ünïcode 漢字 und 😀 πράγματα, the answer is (C).\n\nQuestion: …"
		}},
	} {
		t.Run(name, func(t *testing.T) { backendtest.Run(t, model) })
	}
}
