package client

import (
	"net/http"

	"proctor/backends/servers"
)

// Transport carries requests to the servers, and only to them: it goes through no proxy, and takes off the credentials that
// Ollama's client may add. It notes how an answer began and ended, which that client does not tell: it takes a connection that
// broke in mid-stream for the answer's end, and an error without a text for an empty answer.
type Transport struct{ servers.Transport }

// NewTransport carries requests by next; nil: a transport that uses no proxy.
func NewTransport(next http.RoundTripper) *Transport {
	if next == nil {
		next = servers.Connections()
	}
	return &Transport{servers.Transport{Next: next}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	return t.Transport.RoundTrip(r)
}
