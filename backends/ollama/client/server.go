package client

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"

	"proctor/backends/servers"
)

// A Server is one of the hosts that are asked.
type Server struct {
	*api.Client
	Address *url.URL
}

// At are the servers at hosts, each written like OLLAMA_HOST, or the one that OLLAMA_HOST names.
func At(hosts []string, t *Transport) ([]Server, error) {
	addresses, err := addresses(hosts)
	var all []Server
	for _, address := range addresses {
		all = append(all, Server{api.NewClient(address, servers.Client(t)), address})
	}
	return all, err
}

// Name is the server's name for people and journals.
func (s *Server) Name() string { return s.Address.Host }

// cloud is the one host for which Ollama's client signs its requests with the user's key.
const cloud = "ollama.com"

// addresses are the servers to ask: hosts, or the one that OLLAMA_HOST names.
func addresses(hosts []string) ([]*url.URL, error) {
	var all []*url.URL
	for _, host := range hosts {
		address, err := parseHost(host)
		if err != nil {
			return nil, err
		}
		all = append(all, address)
	}
	if len(all) == 0 {
		if named := envconfig.Var("OLLAMA_HOST"); strings.Contains(named, "@") { // Ollama's client would take the password for a port
			return nil, fmt.Errorf("ollama: OLLAMA_HOST is %q: give HOST, HOST:PORT or a URL, without a user", withoutUser(named))
		}
		all = append(all, envconfig.Host())
	}
	seen := map[string]bool{}
	for _, address := range all {
		if address.Hostname() == cloud {
			return nil, fmt.Errorf("ollama: %s asks for a user's key: only servers without credentials are asked", cloud)
		}
		if seen[address.String()] {
			return nil, fmt.Errorf("ollama: the host %s is named twice", address.Host)
		}
		seen[address.String()] = true
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
	return &url.URL{Scheme: address.Scheme, Host: net.JoinHostPort(address.Hostname(), port), Path: strings.TrimPrefix(address.Path, "/")}, nil
}

// Transport carries requests to the servers, and only to them: it goes through no proxy, and takes off the credentials that
// Ollama's client may add. It notes how an answer began and ended, which that client does not tell: it takes a connection that
// broke in mid-stream for the answer's end, and an error without a text for an empty answer.
type Transport struct{ servers.Transport }

// NewTransport carries requests by next; nil: a transport that uses no proxy.
func NewTransport(next http.RoundTripper) *Transport {
	if next == nil {
		next = servers.Connections()
	}
	return &Transport{servers.Transport{Next: next}}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	return t.Transport.RoundTrip(r)
}

// An Offer is what a server says of itself.
type Offer struct {
	Server  string // its address
	Version string
	Models  []api.ListModelResponse
	Away    error // why it did not answer; the rest is empty then
}

// List asks each of the hosts, as [At] takes them, what it offers. The end of ctx ends the wait for those that have not
// answered.
func List(ctx context.Context, hosts []string) ([]Offer, error) {
	t := NewTransport(nil)
	defer t.CloseIdleConnections()
	servers, err := At(hosts, t)
	offers := make([]Offer, len(servers))
	var asking sync.WaitGroup
	for i, s := range servers {
		asking.Go(func() { offers[i] = s.offer(ctx) })
	}
	asking.Wait()
	return offers, err
}

func (s *Server) offer(ctx context.Context) Offer {
	version, err := s.Version(ctx)
	list := &api.ListResponse{}
	if err == nil {
		list, err = s.List(ctx)
	}
	if err != nil {
		return Offer{Server: s.Address.String(), Away: fmt.Errorf("ollama: %s: %w", s.Name(), Plain(ctx, err))}
	}
	return Offer{Server: s.Address.String(), Version: version, Models: list.Models}
}
