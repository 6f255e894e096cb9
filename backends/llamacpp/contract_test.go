package llamacpp

import (
	"context"
	"testing"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/scripts/tests/sharedtest"
)

func TestContract(t *testing.T) { testContract(t, "") }

func TestContractOfALoadedEngine(t *testing.T) { testContract(t, sharedtest.Engine(t)) }

func testContract(t *testing.T, engine string) {
	for name, slots := range map[string]int{"one slot": 1, "three slots": 3} {
		t.Run(name, func(t *testing.T) {
			m := open(t, Options{Engine: engine, Slots: slots, Context: 512})
			if _, err := m.Plan(context.Background(), backends.Workload{}); err != nil {
				t.Fatal(err)
			}
			backendtest.Run(t, m)
		})
	}
}
