package openai

import (
	"context"

	"proctor/backends"
)

// List asks a server which models it has, and says where it was asked.
func List(ctx context.Context, options Options) (at string, all []backends.ModelInfo, err error) {
	m, err := unmet(options)
	if err != nil {
		return "", nil, err
	}
	defer m.Close()
	s := m.pool.Servers[0]
	found, err := s.list(ctx)
	if err != nil {
		return s.Name(), nil, m.notListed(ctx, s, err)
	}
	for _, l := range found {
		all = append(all, backends.ModelInfo{
			Name: l.ID, Parameters: l.Meta.Parameters, SizeBytes: l.Meta.Bytes, ContextLength: l.Meta.Trained,
		})
	}
	return s.Name(), all, nil
}
