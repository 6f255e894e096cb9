package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Capability is what a flag needs of who answers.
type Capability int

// The capabilities, in the order in which a lack of them is told.
const (
	Computing Capability = iota // computing with llama.cpp as the options say
	Placement                   // threads, and layers on GPUs
	Logprobs                    // telling how likely each token was
	Sampling                    // every way to sample that llama.cpp has
	Server                      // being asked over the network
	Ollama                      // that being Ollama's
	Store                       // a model of Ollama's local store
	Protocol                    // a server of OpenAI's protocol
)

// needs are the flags that need each of them. A flag that is not here applies to every model.
var needs = [...][]string{
	Computing: {
		"slots", "tune", "kernels", "engine", "lora", "isolate", "memory-limit", "kv-type", "cache-type-k", "batch-size", "ubatch-size",
		"device", "tensor-split", "ggml-backends",
	},
	Placement: {"threads", "gpu-layers"},
	Logprobs:  {"keep-logprobs"},
	Sampling:  {"min-p"},
	Server:    {"concurrency", "timeout"},
	Ollama:    {"ollama-hosts", "pull"},
	Store:     {"in-process"},
	Protocol:  {"servers", "vocabulary"},
}

var (
	noServer = map[Capability]string{
		Server:   "no server is asked; --slots says how many sequences are decoded at a time",
		Ollama:   "no server is asked",
		Protocol: "no server is asked, and the model's own vocabulary is at hand",
	}
	noStore = map[Capability]string{Store: "it is for ollama:NAME, everything else runs in-process anyway"}
)

// lacks joins what is lacking.
func lacks(all ...map[Capability]string) map[Capability]string {
	joined := map[Capability]string{}
	for _, each := range all {
		maps.Copy(joined, each)
	}
	return joined
}

// meant is the backend that the options ask for, if it has a use for every flag that was given.
func (o *Options) meant() (*Backend, error) {
	i := slices.IndexFunc(All, func(b Backend) bool { return b.takes(o) })
	if i < 0 {
		return nil, errors.New("--model is empty: give " + Forms())
	}
	b := &All[i]
	for need, flags := range needs {
		why, lacking := b.Lacks[Capability(need)]
		if !lacking {
			continue
		}
		for _, flag := range flags {
			if !slices.Contains(o.Given, flag) {
				continue
			}
			to := b.Answers
			if Capability(need) == Store {
				to = o.Ref
			}
			return nil, fmt.Errorf("--%s does not apply to %s: %s", flag, to, why)
		}
	}
	return b, nil
}

// Takes says whether who answers has a use for a flag.
func (o Options) Takes(flag string) bool {
	o.Given = []string{flag}
	_, err := o.meant()
	return err == nil
}
