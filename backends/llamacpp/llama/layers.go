package llama

import (
	"log/slog"
	"regexp"
	"strconv"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Cache describes the memory that the model keeps for each sequence's tokens.
func (m *Model) Cache() engine.Cache { return m.cache() }

func (m *Model) readCache() engine.Cache {
	c := engine.Cache{
		Layers: make([]engine.Layer, m.lib.LlamaModelNLayer(m.c)), Window: int(m.lib.LlamaModelNSwa(m.c)),
		Hybrid: m.lib.LlamaModelIsHybrid(m.c),
	}
	if m.lib.ProctorModelLayer == nil {
		m.measureCache(&c)
		return c
	}
	c.Wide = c.Hybrid
	for i := range c.Layers {
		var l modelLayer
		m.lib.ProctorModelLayer(m.c, int32(i), &l)
		c.Layers[i] = engine.Layer{State: int(l.state), Attends: l.attends, Windowed: l.windowed}
	}
	return c
}

// Recurrent says whether the model's memory is a state instead of a cache of tokens, or beside one, so that it cannot be cut back
// to a prefix.
func (m *Model) Recurrent() bool {
	return m.lib.LlamaModelIsRecurrent(m.c) || m.lib.LlamaModelIsHybrid(m.c)
}

// measureCache finds what a library keeps that does not say it of a layer: it makes small contexts, and reads what the log says that
// they take. All layers then have an equal part of it. Sliding windows keep all tokens there, since none of its functions makes copies
// that wait happen now.
func (m *Model) measureCache(c *engine.Cache) {
	few, many := 2, 16 // sequences
	plain, wide := m.sample(few, false)
	if plain.keys+plain.values+plain.states < 2<<20 { // the log rounds to hundredths of a MiB
		few = many
		plain, wide = m.sample(few, false)
	}
	flash, _ := m.sample(few, true)
	c.Wide, c.Plain, c.Flash = wide, plain.cell(), flash.cell()
	for i := range c.Layers {
		state := plain.states / float64(4*few*len(c.Layers))
		c.Layers[i] = engine.Layer{State: int(state), Attends: plain.keys > 0 || plain.states == 0}
	}
}

// sampled is the memory that a context has set aside, in bytes, and for how many tokens.
type sampled struct{ keys, values, states, tokens float64 }

// cell is the cache's size for a token, where a number takes two bytes.
func (s sampled) cell() engine.Cell {
	if s.tokens == 0 {
		return engine.Cell{}
	}
	return engine.Cell{Keys: int64(s.keys / s.tokens / 2), Values: int64(s.values / s.tokens / 2)}
}

// What llama.cpp says of a cache: the cells that each sequence has there, and its parts, K and V of tokens, and others of states.
var (
	saidCache = regexp.MustCompile(`: size = [\d.]+ MiB \( ?(\d+) cells, [^()]*\), (.*)`)
	saidPart  = regexp.MustCompile(`(\w) \(\w+\): ([\d.]+) MiB`)
)

// sample makes a context with a few tokens for each sequence, and says what it took. Its cache is wide where a sequence has as many cells
// as all should have together. It is all zeros where no context can be made, and where the log says nothing.
func (m *Model) sample(sequences int, flash bool) (s sampled, wide bool) {
	const tokens, mebibyte = 256, 1 << 20
	log := listen("", func(_ slog.Level, line string) {
		said := saidCache.FindStringSubmatch(line)
		if said == nil {
			return
		}
		cells, _ := strconv.Atoi(said[1])
		for _, part := range saidPart.FindAllStringSubmatch(said[2], -1) {
			size, _ := strconv.ParseFloat(part[2], 64)
			switch size *= mebibyte; part[1] {
			case "K":
				s.keys += size
				s.tokens = max(s.tokens, float64(cells*sequences))
			case "V":
				s.values += size
			default:
				s.states += size
			}
		}
		wide = wide || cells == tokens*sequences
	})
	defer log.Close()
	e, err := m.newContext(engine.Settings{EngineInfo: backends.EngineInfo{
		Slots: sequences, Context: tokens, Batch: 32, Microbatch: 32, Threads: 1, KVType: "f16", FlashAttention: flash,
	}}, engine.Cache{})
	if err != nil {
		return sampled{}, false
	}
	e.Close()
	return s, wide
}
