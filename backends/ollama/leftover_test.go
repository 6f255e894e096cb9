package ollama

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// connections is how many the tests' models have open.
var connections atomic.Int32

// counted is the transport of the tests' models: as their own one, but it counts connections.
func counted() http.RoundTripper {
	t := newTransport(nil).Next.(*http.Transport)
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
