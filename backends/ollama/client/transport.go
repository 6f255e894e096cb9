package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Transport carries requests to the servers, and only to them: it goes through no proxy, follows no redirect, and takes off
// the credentials that Ollama's client may add. It also notes how an answer began and ended, which that client does not tell:
// it takes a connection that broke in mid-stream for the answer's end, and an error without a text for an empty answer.
type Transport struct{ Next http.RoundTripper }

// MostInFlight is how many requests go to one server at a time at most.
const MostInFlight = 256

// NewTransport carries requests by next; nil: a transport that uses no proxy.
func NewTransport(next http.RoundTripper) *Transport {
	if next == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.Proxy = nil
		own.DisableCompression = true
		own.MaxIdleConnsPerHost = MostInFlight
		next = own
	}
	return &Transport{next}
}

// client is an HTTP client on the transport.
func (t *Transport) client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("the server redirects to %s, which is not followed", r.URL.Redacted())
	}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	response, err := t.Next.RoundTrip(r)
	if m, has := r.Context().Value(monitorKey{}).(*monitor); has && err == nil {
		m.status = response.StatusCode
		response.Body = &monitoredBody{response.Body, m}
	}
	return response, err
}

// CloseIdleConnections lets go of connections that nobody uses.
func (t *Transport) CloseIdleConnections() {
	if closer, can := t.Next.(interface{ CloseIdleConnections() }); can {
		closer.CloseIdleConnections()
	}
}

// monitor sees an answer's bytes. Its fields are written by the goroutine that reads the answer.
type monitor struct {
	received func() // called for each piece that came; nil: nobody wants to know
	status   int    // of the answer, 0 until it begins
	broken   error  // why reading ended before the answer's end
}

type monitorKey struct{}

// monitored has the answer of the request that is made with the context seen by m.
func monitored(ctx context.Context, m *monitor) context.Context {
	return context.WithValue(ctx, monitorKey{}, m)
}

// monitoredBody is an answer's body.
type monitoredBody struct {
	io.ReadCloser
	monitor *monitor
}

func (b *monitoredBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if n > 0 && b.monitor.received != nil {
		b.monitor.received()
	}
	if err != nil && err != io.EOF {
		b.monitor.broken = err
	}
	return n, err
}
