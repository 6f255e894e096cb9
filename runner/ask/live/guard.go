package live

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

// A Guard lets only those requests through that a server of proctor's is meant for: GET and HEAD by an address of its own, never for another
// page's script, and beyond this machine only under a path that nobody can guess.
type Guard struct {
	Address  string // what to open in a browser; beyond this machine it holds the secret that lets one in
	Port     string
	Base     string // of every path: "/", or "/TOKEN/"
	name     string // the host that was asked for, where it is a name
	loopback bool
}

// Guarded begins to listen at an address: HOST:PORT, or :PORT or PORT for this machine alone.
func Guarded(address string) (net.Listener, Guard, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil && !strings.Contains(address, ":") {
		host, port, err = "", address, nil
	}
	if err != nil || port == "" {
		return nil, Guard{}, fmt.Errorf("%q is not an address to serve at: give HOST:PORT, as in 127.0.0.1:8080, or a PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, Guard{}, fmt.Errorf("can't serve at %s: %w; port 0 takes one that is free", address, err)
	}
	at := listener.Addr().(*net.TCPAddr)
	g := Guard{Port: fmt.Sprint(at.Port), loopback: at.IP.IsLoopback(), Base: "/"}
	if !g.loopback {
		g.Base = "/" + rand.Text() + "/"
	}
	if _, err := netip.ParseAddr(host); err != nil {
		g.name = host
	}
	g.Address = "http://" + net.JoinHostPort(host, g.Port) + g.Base
	return listener, g, nil
}

// Server is one that gives the requests that are let through to a handler, with their paths below the base. An answer may take as long
// as it does: there is no write timeout.
func (g Guard) Server(inside http.Handler) *http.Server {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.admit(w, r) {
			inside.ServeHTTP(w, r)
		}
	})
	return &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
}

// admit answers requests that are not let through, and says whether one is.
func (g Guard) admit(w http.ResponseWriter, r *http.Request) bool {
	head := w.Header()
	head.Set("Referrer-Policy", "no-referrer") // of an address that may hold the token
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	refuse := func(code int, why string) bool {
		http.Error(w, why, code)
		return false
	}
	switch {
	case !g.own(r.Host):
		return refuse(http.StatusForbidden, "this is not an address of proctor's")
	case !g.sameOrigin(r):
		return refuse(http.StatusForbidden, "not for other pages")
	case !g.holds(r.URL.Path) || strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "/."):
		return refuse(http.StatusNotFound, "not found")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "only GET and HEAD")
	default:
		r.URL.Path = "/" + r.URL.Path[len(g.Base):]
		return true
	}
}

// holds says whether a path begins as the base does, in a time that does not depend on how much of it is right.
func (g Guard) holds(path string) bool {
	return len(path) >= len(g.Base) && subtle.ConstantTimeCompare([]byte(path[:len(g.Base)]), []byte(g.Base)) == 1
}

// own says whether a Host header is an address of the server's: an IP address, or a name of this machine's. Another name may be one
// that a page's owner has point here (DNS rebinding).
func (g Guard) own(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != g.Port {
		return false
	}
	address, err := netip.ParseAddr(name)
	switch {
	case err == nil:
		return address.IsLoopback() || !g.loopback
	case strings.EqualFold(name, "localhost"):
		return true
	}
	machine, _ := os.Hostname()
	return !g.loopback && (strings.EqualFold(name, g.name) || strings.EqualFold(name, machine))
}

// sameOrigin says whether no other page asks. A person who opens the address comes from none.
func (g Guard) sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return false
	}
	origins, given := r.Header["Origin"]
	if !given {
		return true
	}
	origin, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && origin.Scheme == "http" && origin.Host == r.Host
}
