package ollama

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// wire carries requests to the servers, and only to them: it goes through no proxy, follows no redirect, and takes off
// the credentials that Ollama's client may add. It also notes how an answer began and ended, which that client does not tell:
// it takes a connection that broke in mid-stream for the answer's end, and an error without a text for an empty answer.
type wire struct{ next http.RoundTripper }

func newWire(next http.RoundTripper) *wire {
	if next == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.Proxy = nil
		own.DisableCompression = true
		own.MaxIdleConnsPerHost = mostInFlight
		next = own
	}
	return &wire{next}
}

// client is an HTTP client on the wire.
func (w *wire) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("the server redirects to %s, which is not followed", r.URL.Redacted())
	}}
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	response, err := w.next.RoundTrip(r)
	if ear, listens := r.Context().Value(earKey{}).(*ear); listens && err == nil {
		ear.status = response.StatusCode
		response.Body = &heard{response.Body, ear}
	}
	return response, err
}

// CloseIdleConnections lets go of connections that nobody uses.
func (w *wire) CloseIdleConnections() {
	if closer, can := w.next.(interface{ CloseIdleConnections() }); can {
		closer.CloseIdleConnections()
	}
}

// ear hears of an answer's bytes. Its fields are written by the goroutine that reads the answer.
type ear struct {
	beat   func() // called for each piece that came
	status int    // of the answer, 0 until it begins
	broken error  // why reading ended before the answer's end
}

type earKey struct{}

// listening has the answer of the request that is made with the context heard by e.
func listening(ctx context.Context, e *ear) context.Context {
	return context.WithValue(ctx, earKey{}, e)
}

// heard is an answer's body that is listened to.
type heard struct {
	io.ReadCloser
	ear *ear
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	if n > 0 {
		h.ear.beat()
	}
	if err != nil && err != io.EOF {
		h.ear.broken = err
	}
	return n, err
}
