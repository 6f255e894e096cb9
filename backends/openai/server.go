package openai

import (
	"maps"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"proctor/backends/servers"
)

// A server is one of those that are asked.
type server struct {
	servers.State
	address  *url.URL // with the path that the protocol begins with
	key      string
	client   *http.Client
	load     servers.Load // how many answers it writes at a time
	logprobs atomic.Int32 // what its log-probabilities are: untried, sound or restTwice

	mu    sync.Mutex // around what follows
	met   bool
	model string // as it lists it
	self  facts
	lacks refusals
	given map[string]any // variables of its chat template that people gave
}

// checkTime is how long a server may take to say what it has.
const checkTime = 10 * time.Second

// Name is the server's name for people and journals.
func (s *server) Name() string { return name(s.address) }

// holds is the model, as the server lists it.
func (s *server) holds() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// effortVariable is what templates call how hard a model is to think.
const effortVariable = "reasoning_effort"

// variables are those of the server's chat template that are not left to it.
func (s *server) variables(think *bool, effort string) map[string]any {
	all := map[string]any{}
	maps.Copy(all, s.arguments())
	if think != nil {
		all["enable_thinking"] = *think
	}
	if effort != "" {
		all[effortVariable] = effort
	}
	return all
}

// arguments are the variables that people gave.
func (s *server) arguments() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given
}

// known is what the server has reported about itself.
func (s *server) known() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.self
}
