package registry

import (
	"time"

	"proctor/backends/engines"
	"proctor/backends/llamacpp"
)

// Options are the user's choices for a model. Zero values choose what fits; a field that the chosen backend does not use is an error only
// where its flag is among Given.
type Options struct {
	Ref   string   // the model, see [References]
	Given []string // names of the flags that the user gave, such as kv-type

	// Options of the in-process engine: other backends take of them what they can. Those below, this package makes of what a user says;
	// where Like is set, as many items are in flight as were then, unless Given says otherwise.
	llamacpp.Options
	Engines   engines.Store // where the llama.cpp is found that Engine names
	Engine    string        // a folder or a name; "": as EngineVariable says, else EngineAuto
	GPULayers *int          // layers on GPUs, or AllLayers, AutoLayers; nil: as the backend decides

	// For backends with servers.
	Servers     []string      // that have the model; none: the one that the environment names
	Body        *Body         // that servers of OpenAI's protocol get with every request; nil: nothing more
	Concurrency int           // requests in flight at each; 0: as many as it answers fastest
	Timeout     time.Duration // an item's time, all its tries counted; 0: as the backend decides

	// What a person sees. Functions may be nil, and are called from any goroutine.
	Quiet bool
	Warn  func(text string) // of what may matter for the result
	Note  func(text string) // of anything else
	Draw  func(line string) // shows a line in the last one's place, "" none; nil: there is no terminal
}

func (o *Options) warn(text string) {
	if o.Warn != nil {
		o.Warn(text)
	}
}

func (o *Options) note(text string) {
	if o.Note != nil {
		o.Note(text)
	}
}
