package openai

import (
	"maps"
	"net/http"
	"net/url"
	"time"

	"proctor/backends/servers"
)

// A server is one of the servers of a model.
type server struct {
	servers.State
	address *url.URL // with the path that the protocol begins with
	key     string
	client  *http.Client

	now servers.Guarded[known]
}

// known returns the facts that a server has reported.
type known struct {
	facts
	model string // as it lists it
	lacks string // the field that it refuses; empty for none
}

// checkTime is how long a server may take to report its facts.
const checkTime = 10 * time.Second

// Name is the server's name for people and journals.
func (s *server) Name() string { return name(s.address) }

// effortVariable is the name of the reasoning effort in templates.
const effortVariable = "reasoning_effort"

// variables are the values that a server's chat template gets.
func (m *Model) variables(think *bool, effort string) map[string]any {
	all := map[string]any{}
	maps.Copy(all, m.given)
	if think != nil {
		all["enable_thinking"] = *think
	}
	if effort != "" {
		all[effortVariable] = effort
	}
	return all
}

func (s *server) known() known { return s.now.Get() }
