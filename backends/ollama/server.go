package ollama

import (
	"time"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/servers"
)

// A server is one of the hosts that are asked.
type server struct {
	client.Server
	servers.State
	load servers.Load // how many answers it writes at a time
	now  servers.Guarded[condition]
}

// condition is what is known of a server; of the model there only what it said last.
type condition struct {
	version string  // of Ollama, when it was met
	read    bool    // what follows is known
	context int     // tokens that it gives a request; 0 where it does not say
	size    int64   // bytes of the loaded model, its cache counted
	onGPU   int64   // of them
	before  []int32 // tokens of the prompt that was asked last
}

// checkTime is how long a server may take to say that it is there.
const checkTime = 10 * time.Second

// sharedWith notes the prompt that the server is about to get, and returns how many tokens of the one before it begins
// with: those the server still has.
func (s *server) sharedWith(prompt []int32) (shared int) {
	s.now.Change(func(c *condition) {
		shared = backends.CommonPrefix(prompt, c.before)
		c.before = prompt
	})
	return shared
}
