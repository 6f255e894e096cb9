package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// A misfit is a flag that a backend has no use for.
type misfit struct{ flag, why string }

var (
	// engineMisfits do not apply to the in-process engine.
	engineMisfits = []misfit{
		{"concurrency", "--slots says how many sequences it decodes at a time"},
		{"ollama-hosts", "no server is asked"},
		{"pull", "no server is asked; `ollama pull NAME` fetches a model into the local store"},
		{"timeout", "no server is waited for"},
	}
	// serverMisfits do not apply to a model that an Ollama server runs.
	serverMisfits = []misfit{
		{"slots", "--concurrency says how many requests are in flight, OLLAMA_NUM_PARALLEL on the server how many it answers at a time"},
		{"tune", "it sets up the in-process engine"},
		{"kernels", "Ollama brings its own"},
		{"kv-type", "OLLAMA_KV_CACHE_TYPE on the server sets it"},
	}
)

// isServed says whether a server is asked for the model: one of Ollama's, unless it is to run in-process. Flags that
// mean nothing to whoever answers are refused.
func isServed(c *cli.Context) (bool, error) {
	ref := c.String("model")
	if !strings.HasPrefix(ref, ollamaPrefix) {
		if c.Bool("in-process") {
			return false, fmt.Errorf("--in-process does not apply to %s: it is for ollama:NAME, everything else runs in-process anyway", ref)
		}
		return false, refuse(c, "the in-process engine", engineMisfits)
	}
	if c.Bool("in-process") {
		return false, refuse(c, "the in-process engine", engineMisfits)
	}
	return true, refuse(c, "an Ollama server", serverMisfits)
}

func refuse(c *cli.Context, backend string, misfits []misfit) error {
	for _, m := range misfits {
		if c.IsSet(m.flag) {
			return fmt.Errorf("--%s does not apply to %s: %s", m.flag, backend, m.why)
		}
	}
	return nil
}
