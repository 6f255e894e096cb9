package ollamatest

import (
	"net/http"
	"slices"
	"sync"
)

// A Recorder notes which hosts are asked on their way through it.
type Recorder struct {
	Transport http.RoundTripper // nil: [http.DefaultTransport]

	mu    sync.Mutex
	hosts []string
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	if i, found := slices.BinarySearch(r.hosts, request.URL.Host); !found {
		r.hosts = slices.Insert(r.hosts, i, request.URL.Host)
	}
	r.mu.Unlock()
	if r.Transport == nil {
		return http.DefaultTransport.RoundTrip(request)
	}
	return r.Transport.RoundTrip(request)
}

// Hosts returns the hosts asked so far, with their ports, sorted.
func (r *Recorder) Hosts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hosts)
}
