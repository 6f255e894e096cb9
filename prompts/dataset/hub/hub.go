package hub

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// A Hub is where repositories of data sets lie, and how it is asked for a file of one.
type Hub struct {
	Name     string // as people type it
	variable string // of the environment: its address, where that is another
	address  string // its own
	domain   bool   // the variable holds a domain, whose scheme is https
	file     func(s *Source, f *File) string
}

// Hubs are those that [Pull] knows, the default first.
var Hubs = []Hub{
	{"huggingface", "HF_ENDPOINT", "https://huggingface.co", false, func(s *Source, f *File) string {
		return "/datasets/" + s.Repository + "/resolve/" + s.Revision + "/" + f.Path
	}},
	// Its client asks for a branch or a tag, since it knows no commits; the pinned sha256 says whether the bytes are the same.
	{"modelscope", "MODELSCOPE_DOMAIN", "https://www.modelscope.cn", true, func(s *Source, f *File) string {
		return "/api/v1/datasets/" + s.Repository + "/repo?Source=SDK&Revision=master&FilePath=" + url.QueryEscape(f.Path)
	}},
}

// Named finds a hub.
func Named(name string) (Hub, error) {
	var names []string
	for _, h := range Hubs {
		if h.Name == name {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return Hub{}, fmt.Errorf("there is no hub %q; there are %s", name, strings.Join(names, " and "))
}

// base is the hub's address; given comes before the environment's.
func (h *Hub) base(given string) (string, error) {
	text := cmp.Or(given, os.Getenv(h.variable), h.address)
	if h.domain && !strings.Contains(text, "://") {
		text = "https://" + text
	}
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return "", fmt.Errorf("endpoint %sis not an http or https address; mend %s or unset it", shown(text), h.variable)
	}
	return strings.TrimRight(text, "/"), nil
}
