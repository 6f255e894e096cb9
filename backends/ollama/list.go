package ollama

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
	Models  []Offered
	Away    error // why it did not answer; the rest is empty then
}

// Offered is a model that a server lists.
type Offered struct {
	Name         string // always with the tag
	Digest       string // of the manifest
	Architecture string
	Parameters   string // rounded, such as 3.2B
	Quantization string
	Size         int64  // bytes of all its layers
	PassedOnTo   string // the host that would run it in the server's place; empty for most
}

// Look asks each of the hosts, written like [Options].Hosts, what it offers. The end of ctx ends the wait for those
// that have not answered.
func Look(ctx context.Context, hosts []string) ([]Offer, error) {
	all, err := addresses(hosts)
	if err != nil {
		return nil, err
	}
	w := newWire(nil)
	defer w.CloseIdleConnections()
	offers := make([]Offer, len(all))
	var asking sync.WaitGroup
	for i, address := range all {
		s := &server{address: address, api: api.NewClient(address, w.client())}
		asking.Go(func() { offers[i] = s.offer(ctx) })
	}
	asking.Wait()
	return offers, nil
}

func (s *server) offer(ctx context.Context) Offer {
	o := Offer{Server: s.address.String()}
	version, err := s.api.Version(ctx)
	if err != nil {
		o.Away = fmt.Errorf("ollama: %s: %w", s.name(), s.plain(ctx, err))
		return o
	}
	list, err := s.api.List(ctx)
	if err != nil {
		o.Away = fmt.Errorf("ollama: %s: %w", s.name(), s.plain(ctx, err))
		return o
	}
	o.Version = version
	for _, m := range list.Models {
		o.Models = append(o.Models, Offered{
			Name: m.Name, Digest: m.Digest, Architecture: m.Details.Family, Parameters: m.Details.ParameterSize,
			Quantization: m.Details.QuantizationLevel, Size: m.Size, PassedOnTo: m.RemoteHost,
		})
	}
	return o
}
