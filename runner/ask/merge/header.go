package merge

import (
	"maps"
	"slices"

	"proctor/runner/journal"
)

// header is that of the whole run. What may differ from shard to shard is the first one's, but for its beginning, the longest load,
// the longest context, all notes, and where each was asked.
func (t *task) header() journal.Header {
	h := t.shards[0].run.Header
	h.Shard, h.Merged = nil, &journal.Merged{Count: t.result.Count, Missing: t.missing()}
	h.Flags = maps.Clone(h.Flags)
	delete(h.Flags, "shard")
	h.Notes = nil
	for _, p := range t.shards {
		own := &p.run.Header
		if own.Created.Before(h.Created) {
			h.Created = own.Created
		}
		h.Load, h.Backend.Context = max(h.Load, own.Load), max(h.Backend.Context, own.Backend.Context)
		for _, note := range own.Notes {
			if !slices.Contains(h.Notes, note) {
				h.Notes = append(h.Notes, note)
			}
		}
		h.Merged.Shards = append(h.Merged.Shards, journal.MergedShard{
			Index: own.Shard.Index, ToolVersion: own.ToolVersion, Created: own.Created, Load: own.Load, Host: own.Host,
		})
	}
	return h
}
