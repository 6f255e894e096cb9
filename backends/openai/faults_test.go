package openai

import (
	"testing"
	"time"

	"proctor/backends/backendtest"
	"proctor/backends/scripted"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// TestContractOverAFaultyServer runs the contract on a server that breaks many requests, in every way that a client can
// recover from. It asks one at a time: a request that was broken does not overtake another.
func TestContractOverAFaultyServer(t *testing.T) {
	shares := map[serverstest.Kind]float64{}
	for _, kind := range serverstest.Kinds {
		shares[kind] = 0.03
	}
	shares[serverstest.Full] = 0.005  // each of which is followed by a second of waiting
	delete(shares, serverstest.Delay) // which is no fault where the server may be silent for longer
	script := &scripted.Model{Slots: 1, Delay: 20 * time.Microsecond}
	p := serverstest.New(t, serverstest.Serve(t, script, 512), serverstest.Options{Seed: 3, Shares: shares, Pause: 50 * time.Millisecond})
	m, err := Open(t.Context(), Options{Base: p.URL().String(), Concurrency: 1, Vocabulary: script})
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, m)
	t.Logf("broken: %v", p.Broken())
}

// TestNoFaultLosesAnItem asks many items through each fault alone.
func TestNoFaultLosesAnItem(t *testing.T) {
	const asked = 100
	for i, kind := range serverstest.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			script := &scripted.Model{Slots: 1}
			p := serverstest.New(t, serverstest.Serve(t, script, 512), serverstest.Options{
				Seed: uint64(i), Shares: map[serverstest.Kind]float64{kind: 0.1}, Delay: time.Second, Pause: 200 * time.Millisecond,
			})
			m, err := Open(t.Context(), Options{
				Base: p.URL().String(), Concurrency: 4, Asking: servers.Asking{Silence: 500 * time.Millisecond}, Vocabulary: script,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { m.Close() })
			p.Break(kind, "", kind, "", kind) // at least these
			requests, wrong := items(asked), 0
			for id, c := range askAnd(t, m, requests, 0, nil) { // which demands one completion with a text of each
				for _, r := range requests {
					if r.ID == id && c.Text != cutTo(r.MaxTokens, scripted.Letter(r)) {
						wrong++
					}
				}
			}
			if wrong > 0 || p.Broken()[kind] < 3 {
				t.Errorf("%d of %d texts are others than the model's; %d requests were broken", wrong, asked, p.Broken()[kind])
			}
		})
	}
}

// cutTo is the beginning of a text of so many of the scripted model's tokens, of three bytes each.
func cutTo(tokens int, text string) string { return text[:min(len(text), 3*tokens)] }
