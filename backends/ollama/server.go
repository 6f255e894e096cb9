package ollama

import (
	"sync"
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

	mu      sync.Mutex // around what follows
	version string     // of Ollama there, when it was met
	read    bool       // what follows is known
	context int        // tokens that it gives a request; 0 where it does not say
	size    int64      // bytes of the loaded model, its cache counted
	onGPU   int64      // of them
	before  []int32    // tokens of the prompt that was asked last
}

// checkTime is how long a server may take to say that it is there.
const checkTime = 10 * time.Second

// forget notes that the server may have lost the model, and all that it held of prompts.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read, s.before = false, nil
}

// met is the version that the server had when it was met; empty before.
func (s *server) met() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// room is how many tokens the server gives a request, 0 where it does not say; known is false until it was asked.
func (s *server) room() (room int, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.context, s.read
}

// given is what the loaded model has there: tokens of a request, and bytes with its cache.
func (s *server) given() (room int, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.context, s.size
}

// sharedWith notes the prompt that the server is about to get, and returns how many tokens of the one before it begins
// with: those the server still has.
func (s *server) sharedWith(prompt []int32) (shared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared = backends.CommonPrefix(prompt, s.before)
	s.before = prompt
	return shared
}
