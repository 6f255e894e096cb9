package openai

import (
	"encoding/json"

	"proctor/backends"
)

// llamaDefault is who says a number that llama-server has where neither its model's file nor its command line says another.
const llamaDefault = "llama.cpp's default"

// llamaDefaults are llama.cpp's own numbers.
var llamaDefaults = map[string]float64{"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}

// drawnBy is how llama-server draws the tokens of a request that says nothing of it, by its properties: as the model's file says, but for what
// its command line says, and then by llama.cpp's defaults. It is nil where these alone hold.
func drawnBy(properties map[string]json.RawMessage) *backends.Recommendation {
	said, order := map[string]float64{}, []string(nil)
	for name, raw := range properties {
		if x := 0.0; json.Unmarshal(raw, &x) == nil && string(raw) != "null" {
			said[name] = x
		}
	}
	extra(properties["samplers"], &order)
	r := backends.Recommend("the server", said, order)
	if r == nil {
		return nil
	}
	own := len(r.From)
	for name, x := range llamaDefaults {
		if now, is := said[name]; is && r.From[name] != "" && float32(now) == float32(x) {
			r.From[name] = llamaDefault
			own--
		}
	}
	if own == 0 && r.Lacks == "" {
		return nil
	}
	return r
}

// Recommended implements [backends.Recommender].
func (m *Model) Recommended() *backends.Recommendation { return m.first.known().drawn }
