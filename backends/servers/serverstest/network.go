package serverstest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"proctor/backends/servers"
)

// A Network connects a model with servers in this process. It takes no ports, and in a bubble of testing/synctest its time is the
// bubble's. The zero value has no servers.
type Network struct {
	doors sync.Map // from host and port to door
	open  atomic.Int32
}

// Serve has requests to a host and port answered by h until the test ends. Those to any other host are refused.
func (n *Network) Serve(t testing.TB, host string, h http.Handler) {
	d := door{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{
		Handler:  h,
		ErrorLog: log.New(io.Discard, "", 0), // what was broken on purpose is no news
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				n.open.Add(1)
			case http.StateClosed:
				n.open.Add(-1)
			}
		},
	}
	go server.Serve(d) // ends with the test
	t.Cleanup(func() { server.Close() })
	n.doors.Store(host, d)
}

// Open is how many connections there are.
func (n *Network) Open() int { return int(n.open.Load()) }

// Transport carries requests to the servers.
func (n *Network) Transport() *http.Transport {
	t := servers.Connections()
	t.DialContext = func(ctx context.Context, _, host string) (net.Conn, error) {
		refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		found, has := n.doors.Load(host)
		if !has {
			return nil, refused
		}
		d := found.(door)
		ours, theirs := net.Pipe()
		select {
		case d.knocks <- theirs:
			return ours, nil
		case <-d.closed:
			return nil, refused
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return t
}

// A door is where connections to a server come in.
type door struct {
	knocks chan net.Conn
	closed chan struct{}
}

// Accept implements [net.Listener].
func (d door) Accept() (net.Conn, error) {
	select {
	case c := <-d.knocks:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (d door) Close() error {
	close(d.closed)
	return nil
}

// Addr implements [net.Listener].
func (d door) Addr() net.Addr { return &net.TCPAddr{} }
