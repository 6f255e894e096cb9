package client

import (
	"context"
	"fmt"
	"sync"

	"github.com/ollama/ollama/api"
)

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
