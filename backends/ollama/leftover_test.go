package ollama

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// connections is how many the tests' models have open.
var connections atomic.Int32

// counted is the transport of the tests' models: as their own one, but it counts connections.
func counted() http.RoundTripper {
	t := client.NewTransport(nil).Next.(*http.Transport)
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		connections.Add(1)
		return &countedConn{Conn: c}, nil
	}
	return t
}

type countedConn struct {
	net.Conn
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		connections.Add(-1)
	}
	return c.Conn.Close()
}

// leftover tells of a goroutine that this package has started and that still runs, or of open connections; "" for none.
// A connection may take a moment to close.
func leftover() (what string) {
	for range 100 {
		if what = running(); what == "" {
			if n := connections.Load(); n == 0 {
				return ""
			} else {
				what = fmt.Sprintf("%d connections", n)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return what
}

func running() string {
	buf := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		created := strings.LastIndex(stack, "created by ")
		if created < 0 {
			continue
		}
		if by := stack[created:]; strings.Contains(by, "backends/ollama.") && !strings.Contains(by, "_test.go") {
			return stack
		}
	}
	return ""
}

func TestNoRequestIsMadeAfterCancellation(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	p := serverstest.New(t, s.URL(), serverstest.Options{Seed: 1, Shares: map[serverstest.Kind]float64{serverstest.Cut: 0.1, serverstest.Status: 0.1}})
	// The proxy may see late what was sent in time: requests are counted where they are made.
	transport := &countedRequests{Transport: counted().(*http.Transport)}
	m := openControl(t, Options{Concurrency: 4, Context: 512, Asking: servers.Asking{Transport: transport}}, p.Host())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	err := m.Generate(ctx, slices.Values(items(40)), func(backends.Completion) error {
		if done++; done == 10 {
			cancel()
		}
		return nil
	})
	made := transport.made.Load()
	if !errors.Is(err, context.Canceled) || done != 10 {
		t.Errorf("Generate returned %v after %d completions", err, done)
	}
	if left := leftover(); left != "" {
		t.Errorf("Generate has returned, but this runs on:\n%s", left)
	}
	time.Sleep(500 * time.Millisecond) // longer than the first waits between tries
	if late := transport.made.Load() - made; late > 0 || made < 10 {
		t.Errorf("%d requests were made, %d after Generate had returned", made+late, late)
	}
}

// countedRequests counts the requests that are made.
type countedRequests struct {
	*http.Transport
	made atomic.Int32
}

func (c *countedRequests) RoundTrip(r *http.Request) (*http.Response, error) {
	c.made.Add(1)
	return c.Transport.RoundTrip(r)
}
