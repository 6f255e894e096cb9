package servers

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// MostInFlight is how many requests go to one server at a time at most.
const MostInFlight = 256

// Transport carries requests to the servers, and only to them: its [Client] follows no redirect. It also notes how an answer
// began and ended, for the [Monitor] of its request.
type Transport struct{ Next http.RoundTripper }

// Connections are those of a [Transport], without a proxy.
func Connections() *http.Transport {
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.Proxy = nil
	own.DisableCompression = true
	own.MaxIdleConnsPerHost = MostInFlight
	return own
}

// Client is an HTTP client on a transport.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("the server redirects to %s://%s, which is not followed", r.URL.Scheme, r.URL.Host)
	}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.Next.RoundTrip(r)
	if m, has := r.Context().Value(monitorKey{}).(*Monitor); has && err == nil {
		m.Status = response.StatusCode
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

// Monitor sees an answer's bytes. Its fields are written by the goroutine that reads the answer.
type Monitor struct {
	Received func() // called for each piece that came; nil: nobody wants to know
	Status   int    // of the answer, 0 until it begins
	Broken   error  // why reading ended before the answer's end
}

type monitorKey struct{}

// Monitored has the answer of the request that is made with the context seen by m.
func Monitored(ctx context.Context, m *Monitor) context.Context {
	return context.WithValue(ctx, monitorKey{}, m)
}

// monitoredBody is an answer's body.
type monitoredBody struct {
	io.ReadCloser
	monitor *Monitor
}

func (b *monitoredBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if n > 0 && b.monitor.Received != nil {
		b.monitor.Received()
	}
	if err != nil && err != io.EOF {
		b.monitor.Broken = err
	}
	return n, err
}
