package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"

	"proctor/backends/servers"
)

// cloud is the one host for which Ollama's client signs its requests with the user's key.
const cloud = "ollama.com"

// serversAt are the servers at hosts, each written like OLLAMA_HOST, or the one that OLLAMA_HOST names.
func serversAt(hosts []string, t *transport) ([]*server, error) {
	var addresses []*url.URL
	for _, host := range hosts {
		address, err := parseHost(host)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	if len(addresses) == 0 {
		// Ollama's client would take the password for a port.
		if named := envconfig.Var("OLLAMA_HOST"); strings.Contains(named, "@") {
			return nil, fmt.Errorf("ollama: OLLAMA_HOST is %q: give HOST, HOST:PORT or a URL, without a user",
				withoutUser(named))
		}
		addresses = append(addresses, envconfig.Host())
	}
	var all []*server
	for _, address := range addresses {
		if address.Hostname() == cloud {
			return nil, fmt.Errorf("ollama: %s asks for a user's key: only servers without credentials can be used", cloud)
		}
		if slices.ContainsFunc(all, func(s *server) bool { return s.address.String() == address.String() }) {
			return nil, fmt.Errorf("ollama: the host %s is named twice", address.Host)
		}
		all = append(all, &server{Client: api.NewClient(address, servers.Client(t)), address: address})
	}
	return all, nil
}

// user matches what may be a user and a password in an address.
var user = regexp.MustCompile(`^([^@]*://)?.*@`)

// withoutUser is an address as people may see it.
func withoutUser(address string) string { return user.ReplaceAllString(address, "${1}[secret]@") }

// parseHost reads an address as Ollama's client reads OLLAMA_HOST, [SCHEME://]HOST[:PORT][/PATH], but a bad port is an
// error here, where there it is replaced.
func parseHost(text string) (*url.URL, error) {
	whole, port := strings.TrimSpace(text), ""
	if !strings.Contains(whole, "://") {
		whole, port = "http://"+whole, "11434"
	}
	address, err := url.Parse(whole)
	if err != nil || strings.Contains(whole, "@") || address.Hostname() == "" {
		return nil, fmt.Errorf("ollama: host %q: give HOST, HOST:PORT or a URL, without a user", withoutUser(text))
	}
	ports := map[string]string{"http": "80", "https": "443"}
	if ports[address.Scheme] == "" {
		return nil, fmt.Errorf("ollama: host %q: there are http:// and https://", text)
	}
	port = cmp.Or(address.Port(), port, ports[address.Scheme])
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("ollama: host %q: %q is not a port", text, port)
	}
	return &url.URL{Scheme: address.Scheme, Host: net.JoinHostPort(address.Hostname(), port),
		Path: strings.TrimPrefix(address.Path, "/")}, nil
}

// transport carries requests to the servers, and only to them: it goes through no proxy, and takes off the credentials
// that Ollama's client may add. It notes how an answer began and ended, which that client does not tell: it takes a
// connection that broke in mid-stream for the answer's end, and an error without a text for an empty answer.
type transport struct{ servers.Transport }

// newTransport carries requests by next; nil: a transport that uses no proxy.
func newTransport(next http.RoundTripper) *transport {
	if next == nil {
		next = servers.Connections()
	}
	return &transport{servers.Transport{Next: next}}
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	return t.Transport.RoundTrip(r)
}

// An Offer lists the version and the models that a server reports.
type Offer struct {
	Server  string // its address
	Version string
	Models  []api.ListModelResponse
	Away    error // why it did not answer; the rest is empty then
}

// List asks the server that OLLAMA_HOST names what it offers. The end of ctx ends the wait for one that does not answer.
func List(ctx context.Context) (Offer, error) {
	t := newTransport(nil)
	defer t.CloseIdleConnections()
	all, err := serversAt(nil, t)
	if err != nil {
		return Offer{}, err
	}
	s := all[0]
	offer := Offer{Server: s.address.String()}
	list := &api.ListResponse{}
	if offer.Version, err = s.Version(ctx); err == nil {
		list, err = s.List(ctx)
	}
	if err != nil {
		if inRequest, is := errors.AsType[*url.Error](err); is { // which has the request's whole address
			err = inRequest.Err
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Offer{Server: offer.Server, Away: fmt.Errorf("ollama: %s: %w", s.Name(), err)}, nil
	}
	offer.Models = list.Models
	return offer, nil
}
