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

// A Guard admits only requests that a server of proctor's is meant for: GET and HEAD to one of its own addresses, not from another
// page's script, and from other machines only under a secret path.
type Guard struct {
	Address  string // to open in a browser; for other machines it contains the secret
	Port     string
	Base     string // of every path: "/", or "/TOKEN/"
	name     string // the requested host, where it is a name
	loopback bool
}

// Guarded starts to listen at an address: HOST:PORT, or :PORT or PORT for this machine alone.
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

// admit says whether a request is let through; it answers those that are not.
func (g Guard) admit(w http.ResponseWriter, r *http.Request) bool {
	head := w.Header()
	head.Set("Referrer-Policy", "no-referrer") // the address may contain the secret
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

// holds says whether a path begins with the base, in constant time.
func (g Guard) holds(path string) bool {
	return len(path) >= len(g.Base) && subtle.ConstantTimeCompare([]byte(path[:len(g.Base)]), []byte(g.Base)) == 1
}

// own says whether a Host header is one of the server's addresses: an IP address, or a name of this machine. Another name may point
// here through DNS rebinding.
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

// sameOrigin says whether the request comes from no other page. A person who opens the address comes from none.
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
