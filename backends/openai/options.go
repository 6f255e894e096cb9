package openai

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"proctor/backends/servers"
)

// Options say which model to use, at which servers. Zero values choose what fits.
type Options struct {
	Name    string   // of the model, as the servers list it; "": the only one that they have
	Ref     string   // how the user named it; "": the first server's address
	Servers []string // addresses as in http://127.0.0.1:8080, without credentials; http:// and /v1 may be left out
	Base    string   // where there are no Servers, the address of one, which may have a user and a password
	Key     string   // that servers ask for; "": none is sent

	Context     int // tokens that prompt and answer may have together; 0: what the servers say
	Concurrency int // requests in flight at each server; 0: as many as it says, or answers fastest

	Body *Body // is sent with every request for an answer; nil: nothing more

	servers.ClientOptions // its own transport takes the environment's proxy
}

// addresses are the servers to ask, each with the path that the protocol begins with.
func (o *Options) addresses() ([]*url.URL, error) {
	texts := o.Servers
	if len(texts) == 0 {
		texts = []string{o.Base}
	}
	var all []*url.URL
	seen := map[string]bool{}
	for _, text := range texts {
		address, err := parse(text)
		switch {
		case err != nil:
			return nil, err
		case len(o.Servers) > 0 && address.User != nil:
			return nil, fmt.Errorf("the address of %s has a user or a password, which everybody can read who lists this "+
				"machine's processes: put it into OPENAI_BASE_URL, or a key into OPENAI_API_KEY", address.Host)
		case seen[name(address)]:
			return nil, fmt.Errorf("the server %s is named twice", name(address))
		}
		seen[name(address)] = true
		all = append(all, address)
	}
	return all, nil
}

// parse reads a server's address. An error names nothing of it that may be secret.
func parse(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text != "" && !strings.Contains(text, "://") {
		text = "http://" + text
	}
	address, err := url.Parse(text)
	const like = "give one as in http://127.0.0.1:8080 or https://example.com/v1"
	switch {
	case err != nil:
		return nil, fmt.Errorf("a server's address cannot be read: " + like)
	case strings.Contains(address.Path+address.RawQuery+address.Fragment, "@"): // of a password with a slash, which ended the host
		return nil, fmt.Errorf("a server's address has an @ behind its host: write a /, ? or # in a password as %%2F, %%3F or %%23, or " + like)
	case address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		address.User = nil
		return nil, fmt.Errorf("%q is not a server's address: %s", address, like)
	case address.RawQuery != "" || address.Fragment != "":
		return nil, fmt.Errorf("the address of %s has something behind its path: "+like, address.Host)
	}
	if address.Path = strings.TrimRight(address.Path, "/"); address.Path == "" {
		address.Path = "/v1"
	}
	return &url.URL{Scheme: address.Scheme, User: address.User, Host: address.Host, Path: address.Path}, nil
}

// name is a server's name for people and journals, without what is secret.
func name(address *url.URL) string { return address.Host + strings.TrimSuffix(address.Path, "/v1") }

// placeholders are keys, in any case, that servers without any are given, since clients demand one: they are sent, and are no secrets.
var placeholders = []string{"EMPTY", "EMPTY_TOKEN", "none", "sk-no-key-required", "no-key", "dummy", "ollama", "lm-studio"}

func isPlaceholder(key string) bool {
	return slices.ContainsFunc(placeholders, func(each string) bool { return strings.EqualFold(each, key) })
}

// secrets takes the keys out of texts that may be shown.
func secrets(key string, addresses []*url.URL) *strings.Replacer {
	const shortest = 3
	var pairs []string
	hide := func(secret string) {
		if len(secret) >= shortest {
			pairs = append(pairs, secret, "[secret]")
		}
	}
	if !isPlaceholder(key) {
		hide(key)
	}
	for _, address := range addresses {
		if password, has := address.User.Password(); has {
			hide(base64.StdEncoding.EncodeToString([]byte(address.User.Username() + ":" + password)))
			hide(address.User.String())
			hide(password)
			hide(url.QueryEscape(password))
		} else {
			hide(address.User.Username())
		}
	}
	return strings.NewReplacer(pairs...)
}
