package live

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// A guard lets requests through that this server is meant for.
type guard struct {
	port     string
	name     string // the host that was asked for, where it is a name
	loopback bool
	base     string // of every path: "/", or "/TOKEN/"
}

// admit answers requests that are not let through, and says whether one is.
func (g guard) admit(w http.ResponseWriter, r *http.Request) bool {
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
		return refuse(http.StatusForbidden, "this is no address of proctor's")
	case !g.sameOrigin(r):
		return refuse(http.StatusForbidden, "not for other pages")
	case !g.holds(r.URL.Path) || strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "/."):
		return refuse(http.StatusNotFound, "not found")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "only GET and HEAD")
	default:
		r.URL.Path = "/" + r.URL.Path[len(g.base):]
		return true
	}
}

// holds says whether a path begins as the base does, in a time that does not depend on how much of it is right.
func (g guard) holds(path string) bool {
	return len(path) >= len(g.base) && subtle.ConstantTimeCompare([]byte(path[:len(g.base)]), []byte(g.base)) == 1
}

// own says whether a Host header is an address of the server's: an IP address, or a name of this machine's. Another name may be one
// that a page's owner has point here (DNS rebinding).
func (g guard) own(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != g.port {
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
func (g guard) sameOrigin(r *http.Request) bool {
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
