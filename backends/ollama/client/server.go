package client

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

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

// mostProgress is how many bytes a server may send about a pull's progress: that takes hours.
const mostProgress = 1 << 30

// Pull has the server get the model, and tells progress how far that is, which may be nil. The error is [*servers.Conclusive].
func (s *Server) Pull(ctx context.Context, model string, progress func(host, status string, completed, total int64)) error {
	m, last := &servers.Monitor{Limit: mostProgress}, ""
	err := s.Client.Pull(servers.Monitored(ctx, m), &api.PullRequest{Model: model}, func(p api.ProgressResponse) error {
		last = p.Status
		if progress != nil {
			progress(s.Name(), p.Status, p.Completed, p.Total)
		}
		return nil
	})
	switch {
	case err != nil:
		err = fmt.Errorf(": %w", Plain(ctx, err))
	case m.Broken != nil:
		err = fmt.Errorf(": the connection broke: %w", m.Broken)
	case last != "success":
		err = fmt.Errorf(" ended at %q", last)
	default:
		return nil
	}
	return &servers.Conclusive{Err: fmt.Errorf("%s: the pull failed: %s%w", s.Name(), model, err)}
}

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

// withoutUser is an address as people may see it: what may be a password in it is left out.
func withoutUser(address string) string {
	at := strings.LastIndex(address, "@")
	if at < 0 {
		return address
	}
	scheme, _, explicit := strings.Cut(address[:at], "://")
	if explicit {
		scheme += "://"
	} else {
		scheme = ""
	}
	return scheme + "[secret]" + address[at:]
}

// parseHost reads an address as Ollama's client reads OLLAMA_HOST, [SCHEME://]HOST[:PORT][/PATH], but a bad port is an
// error here, where there it is replaced.
func parseHost(text string) (*url.URL, error) {
	scheme, rest, explicit := strings.Cut(strings.TrimSpace(text), "://")
	port := "11434"
	switch {
	case !explicit:
		scheme, rest = "http", scheme
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, fmt.Errorf("ollama: host %q: there are http:// and https://", withoutUser(text))
	}
	if strings.Contains(rest, "@") {
		return nil, fmt.Errorf("ollama: host %q: give HOST, HOST:PORT or a URL, without a user", withoutUser(text))
	}
	rest, path, _ := strings.Cut(rest, "/")
	host := strings.Trim(rest, "[]")
	if h, p, err := net.SplitHostPort(rest); err == nil {
		host, port = h, p
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("ollama: host %q: %q is not a port", text, port)
	}
	if host == "" || strings.Contains(host, " ") {
		return nil, fmt.Errorf("ollama: host %q: give HOST, HOST:PORT or a URL, without a user", text)
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: path}, nil
}
