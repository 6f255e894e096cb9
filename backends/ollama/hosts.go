package ollama

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/ollama/ollama/envconfig"
)

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
		return nil, fmt.Errorf("ollama: host %q: there are http:// and https://", text)
	}
	rest, path, _ := strings.Cut(rest, "/")
	host := strings.Trim(rest, "[]")
	if h, p, err := net.SplitHostPort(rest); err == nil {
		host, port = h, p
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("ollama: host %q: %q is no port", text, port)
	}
	if host == "" || strings.ContainsAny(host, "@ ") {
		return nil, fmt.Errorf("ollama: host %q: give HOST, HOST:PORT or a URL, without a user", text)
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: path}, nil
}
