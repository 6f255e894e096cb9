package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
)

// A Capability is a property that a backend needs for a setting to apply.
type Capability int

// The capabilities, in the order in which a lack of them is reported.
const (
	Computing Capability = iota // computing with llama.cpp as the options say
	Placement                   // threads, and layers on GPUs
	Logprobs                    // telling how likely each token was
	Sampling                    // every way to sample that llama.cpp has
	Server                      // running at a server
	Fields                      // fields of its requests that people choose
)

// needs are the settings that need each of them. Every other one applies to all models.
var needs = [...][]setting.Setting{
	Computing: {
		setting.Slots, setting.Kernels, setting.Engine, setting.Lora, setting.KVType,
		setting.Device,
	},
	Placement: {setting.Threads, setting.GPULayers},
	Logprobs:  {setting.KeepLogprobs},
	Sampling:  sampling(backends.SamplingNames("top_k", "top_p", "repeat_penalty", "presence_penalty", "frequency_penalty")),
	Server:    {setting.Concurrency, setting.Timeout, setting.Servers},
	Fields:    {setting.ExtraBody},
}

var noServer = map[Capability]error{
	Server: setting.Errorf("the model does not run at a server; %s says how many sequences are decoded at a time", setting.Slots),
	Fields: errors.New("the model does not run at a server"),
}

// sampling are ways to sample, as settings.
func sampling(names []string) (all []setting.Setting) {
	for _, name := range names {
		all = append(all, setting.Sampling.With(name))
	}
	return all
}

func (o *Options) given(s setting.Setting) bool {
	return slices.Contains(o.Given, strings.TrimLeft(s.String(), "-"))
}

// meant returns the backend of the options' reference. It is an error where a given setting does not apply to that.
func (o *Options) meant() (*Backend, error) {
	i := slices.IndexFunc(All, func(b Backend) bool { return b.takes(o.Ref) })
	if i < 0 {
		return nil, fmt.Errorf("%s is empty: give %s", setting.Model, Forms())
	}
	b := &All[i]
	for need, settings := range needs {
		why, lacking := b.Lacks[Capability(need)]
		useless := slices.IndexFunc(settings, o.given)
		if !lacking || useless < 0 {
			continue
		}
		return nil, fmt.Errorf("%s does not apply to %s: %w", settings[useless], b.Answers, why)
	}
	return b, nil
}

// Takes says whether who answers has a use for a flag.
func (o Options) Takes(flag string) bool {
	o.Given = []string{flag}
	_, err := o.meant()
	return err == nil
}
