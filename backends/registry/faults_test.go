package registry

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/ollama"
	"proctor/backends/openai"
	"proctor/backends/scripted"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// protocols open the model of a faulty server, whose vocabulary is the scripted model's.
var protocols = map[string]func(*testing.T, *serverstest.Proxy, *scripted.Model, int, servers.ClientOptions) (backends.Model, error){
	"ollama": func(t *testing.T, p *serverstest.Proxy, script *scripted.Model, concurrency int, client servers.ClientOptions) (backends.Model, error) {
		return ollama.Open(t.Context(), ollama.Options{
			Settings: backends.Settings{
				Model: "ollama:served", Servers: []string{p.Host()}, Concurrency: concurrency, Context: 512,
			},
			ClientOptions: client, Vocabulary: func(string) (backends.Tokenizer, error) { return script, nil },
		})
	},
	"openai": func(t *testing.T, p *serverstest.Proxy, script *scripted.Model, concurrency int, client servers.ClientOptions) (backends.Model, error) {
		return openai.Open(t.Context(), openai.Options{Settings: backends.Settings{Concurrency: concurrency}, Base: p.URL,
			ClientOptions: client})
	},
}

// TestContractOverAFaultyServer runs the contract on a server that breaks many requests, in every way that a client can
// recover from. It asks one at a time: a request that was broken does not overtake another.
func TestContractOverAFaultyServer(t *testing.T) {
	for name, open := range protocols {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shares := map[serverstest.Kind]float64{}
			for _, kind := range serverstest.Kinds {
				shares[kind] = 0.03
			}
			shares[serverstest.Full] = 0.005  // a second of waiting follows each
			delete(shares, serverstest.Delay) // which is no fault where the server may be silent for longer
			script := &scripted.Model{Slots: 1, Delay: 20 * time.Microsecond}
			p := serverstest.New(t, serve(t, script, 512, nobodys),
				serverstest.Options{Seed: 3, Shares: shares, Pause: 50 * time.Millisecond})
			m, err := open(t, p, script, 1, servers.ClientOptions{})
			assert.NilError(t, err)
			backendtest.Run(t, m)
			t.Logf("broken: %v", p.Broken())
		})
	}
}

// TestNoFaultLosesAnItem asks many items through each fault alone.
func TestNoFaultLosesAnItem(t *testing.T) {
	for name, open := range protocols {
		for i, kind := range serverstest.Kinds {
			t.Run(name+", "+string(kind), func(t *testing.T) {
				t.Parallel()
				script := &scripted.Model{Slots: 1}
				items, shares := 60, map[serverstest.Kind]float64{kind: 0.1}
				if kind == serverstest.Full || kind == serverstest.Busy { // what a client learns of these makes it slow
					items, shares = 6, nil
				}
				p := serverstest.New(t, serve(t, script, 512, nobodys), serverstest.Options{
					Seed: uint64(i), Shares: shares, Delay: time.Second, Pause: 200 * time.Millisecond,
				})
				m, err := open(t, p, script, 4, servers.ClientOptions{Silence: 500 * time.Millisecond})
				assert.NilError(t, err)
				t.Cleanup(func() { m.Close() })
				p.Break(kind, "", kind, "", kind) // at least these
				var requests []backends.Request
				want := map[string]string{}
				for n := range items {
					r := backends.Request{ID: string(rune('A' + n)), Prompt: "Question " + string(rune('A'+n)), MaxTokens: 12}
					letter := scripted.Letter(r)
					requests, want[r.ID] = append(requests, r), letter[:min(len(letter), 3*r.MaxTokens)] // a token has three bytes
				}
				err = m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
					text, open := want[c.ID]
					assert.Check(t, open && c.Text == text, "%s: %+v, want %q once", c.ID, c, text)
					delete(want, c.ID)
					return nil
				})
				assert.Check(t, err == nil && len(want) == 0, "%v; without an answer: %v", err, want)
				assert.Check(t, p.Broken()[kind] >= 3, "%d requests were broken", p.Broken()[kind])
			})
		}
	}
}
