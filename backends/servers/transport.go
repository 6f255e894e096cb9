package servers

import (
	"cmp"
	"fmt"
	"io"
	"net/http"

	"proctor/backends"
)

// MostInFlight is how many requests go to one server at a time at most.
const MostInFlight = 256

// Transport carries requests to the servers, and only to them: its [Client] follows no redirect. It also notes how an
// answer began and ended, for the monitor of its request, and ends one that is too long.
type Transport struct{ Next http.RoundTripper }

// Connections returns the default transport for a [Transport], without a proxy.
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
	if err != nil {
		return response, err
	}
	m, has := r.Context().Value(monitorKey{}).(*monitor)
	if !has {
		m = &monitor{}
	}
	m.status, m.header = response.StatusCode, response.Header
	response.Body = &monitoredBody{response.Body, m, cmp.Or(m.limit, mostBytes)}
	return response, nil
}

// CloseIdleConnections lets go of connections that nobody uses.
func (t *Transport) CloseIdleConnections() {
	if closer, can := t.Next.(interface{ CloseIdleConnections() }); can {
		closer.CloseIdleConnections()
	}
}

// A monitor sees an answer's bytes. Its fields are written by the goroutine that reads the answer.
type monitor struct {
	received func() // called for each piece that came; nil: nobody wants to know
	limit    int64  // bytes that the answer may have; 0: mostBytes
	status   int    // of the answer, 0 until it begins
	header   http.Header
	began    bool   // a byte came
	broken   *Error // why reading ended before the answer's end; nil where it did not
}

const mostBytes = 64 << 20

type monitorKey struct{}

// monitoredBody is an answer's body.
type monitoredBody struct {
	io.ReadCloser
	*monitor
	left int64 // bytes that may still come
}

func (b *monitoredBody) Read(into []byte) (int, error) {
	if b.left <= 0 { // it may have ended just here
		into = into[:min(1, len(into))]
	}
	n, err := b.ReadCloser.Read(into)
	if n > 0 && b.left <= 0 {
		b.broken = errTooLong
		return 0, b.broken
	}
	b.left -= int64(n)
	b.began = b.began || n > 0
	if n > 0 && b.received != nil {
		b.received()
	}
	if err != nil && err != io.EOF {
		b.broken = &Error{Cause: backends.CauseConnection, Text: "the connection broke in mid-answer: " + err.Error(),
			Lost: true}
	}
	return n, err
}
