package llamacpp

import (
	"testing"

	"proctor/backends/backendtest"
	"proctor/scripts/tests/sharedtest"
)

func TestContract(t *testing.T) { testContract(t, "") }

func TestContractOfALoadedEngine(t *testing.T) { testContract(t, sharedtest.Engine(t)) }

func testContract(t *testing.T, engine string) {
	for name, slots := range map[string]int{"one slot": 1, "three slots": 3} {
		t.Run(name, func(t *testing.T) {
			m, _, _ := planned(t, Options{Engine: engine, Slots: slots, Context: 512})
			backendtest.Run(t, m)
		})
	}
}
