package backends

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Info describes a model and the engine that runs it. Fields that are unknown are zero.
type Info struct {
	Model  ModelInfo
	Engine EngineInfo
	Notes  []string // what a reader of the numbers should know, a sentence each
	Lacks  []string // parts of a [Sampling] that it has not, by their names in JSON: a Request with one is refused
}

// ModelInfo says which model answered. The names are those of a journal's header.
type ModelInfo struct {
	Ref                string  `json:"ref"`  // as the user gave it
	Name               string  `json:"name"` // the model's own name, else its file's; or how people had it shown
	Architecture       string  `json:"architecture"`
	Parameters         int64   `json:"parameters"`
	SizeBytes          int64   `json:"size_bytes"`      // of all tensors
	Quantization       string  `json:"quantization"`    // llama.cpp's file type, such as Q4_K_M
	BitsPerWeight      float64 `json:"bits_per_weight"` // 8·size_bytes / parameters
	FileSHA256         string  `json:"file_sha256"`
	ContextLength      int     `json:"context_length"`       // tokens the model was trained for
	ChatTemplateSHA256 string  `json:"chat_template_sha256"` // empty where it has none

	TensorTypes []TensorType `json:"tensor_types,omitempty"` // the one with most bytes first; none where that is not known
	FellBack    string       `json:"fell_back,omitempty"`    // which types tensors have that can't have their quantisation's; empty where all can
	Adapters    []Adapter    `json:"adapters,omitempty"`     // added to its weights, in the order in which they were named

	SplitAsDefault string `json:"split_as_default,omitempty"` // why texts are not split as its vocabulary needs it; empty where they are
}

// Title names the model for people: quantisations of one model have different titles.
func (m *ModelInfo) Title() string {
	name := cmp.Or(m.Name, m.Ref)
	if strings.HasSuffix(strings.ToUpper(name), "-"+strings.ToUpper(m.Quantization)) {
		return name
	}
	return strings.TrimSpace(name + " " + m.Quantization)
}

// Recipe lists the types of the tensors in a line: Q4_K 168, Q6_K 13, F32 61; 4.91 bits a weight. Empty where that is not known.
func (m *ModelInfo) Recipe() string {
	var all []string
	for _, t := range m.TensorTypes {
		all = append(all, fmt.Sprintf("%s %d", t.Type, t.Tensors))
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("%s; %.2f bits a weight", strings.Join(all, ", "), m.BitsPerWeight)
}

// An Adapter is a LoRA adapter: small matrices whose products are added to those of a model's weights.
type Adapter struct {
	Ref        string  `json:"ref"` // its file, as the user gave it
	Scale      float64 `json:"scale"`
	FileSHA256 string  `json:"file_sha256"`
}

// String is the file and its scale, where that is not 1.
func (a Adapter) String() string {
	if a.Scale == 1 {
		return a.Ref
	}
	return fmt.Sprintf("%s=%g", a.Ref, a.Scale)
}

// A TensorType is how many of a model's tensors have elements of a type, and what they take.
type TensorType struct {
	Type    string `json:"type"` // as llama.cpp names it, such as Q4_K
	Tensors int    `json:"tensors"`
	Bytes   int64  `json:"bytes"`
}

// EngineInfo is the engine's settings: the backend object of a journal's header.
type EngineInfo struct {
	Name           string   `json:"name"`
	Version        string   `json:"version"`
	Slots          int      `json:"slots"` // sequences decoded at a time; requests in flight at servers, 0 where that varies
	Threads        int      `json:"threads"`
	GPULayers      int      `json:"gpu_layers"`           // layers on GPUs, the output counted as one
	Devices        []string `json:"devices,omitempty"`    // the GPUs that they are on
	KVType         string   `json:"kv_type"`              // element types of the key/value cache: see CacheTypes
	KVRotated      bool     `json:"kv_rotated,omitempty"` // they are rotated before they are quantised
	FlashAttention bool     `json:"flash_attention"`
	KVWindowed     bool     `json:"kv_windowed,omitempty"`     // layers with a sliding window keep only the tokens in it
	Batch          int      `json:"batch"`                     // tokens a call of the engine takes at most
	Microbatch     int      `json:"ubatch"`                    // tokens the engine computes at a time
	Kernels        string   `json:"kernels,omitempty"`         // what computes on the CPU: proctor or ggml
	KernelsBecause string   `json:"kernels_because,omitempty"` // why that is ggml, where it was not requested
	KernelLevel    string   `json:"kernel_level,omitempty"`    // what proctor's kernels compute with, such as avx512
	LevelForced    bool     `json:"level_forced,omitempty"`    // a level that was requested, not the CPU's best
	Multiplying    string   `json:"multiplying,omitempty"`     // the levels that multiply weights: one, or by type and number of tokens, for people
	Offloaded      bool     `json:"offloaded,omitempty"`       // all layers are on GPUs: the CPU multiplies nothing
	Loaded         bool     `json:"loaded,omitempty"`          // a published llama.cpp that was loaded, not the one that is compiled in
	Context        int      `json:"context"`                   // tokens a slot holds
	Features       string   `json:"features,omitempty"`        // instruction sets that the engine was compiled with
	Servers        []string `json:"servers,omitempty"`         // the servers that answer, of a backend with servers
	// ExtraBody is an object that people had sent with every request, without what is secret.
	ExtraBody json.RawMessage `json:"extra_body,omitempty"`
	// Requests are the fields beside prompt, cap and stop strings that requests have, as the servers take them: one object unless servers
	// differ, with the run's seed, of which each item's is made.
	Requests []json.RawMessage `json:"requests,omitempty"`
}

// Slower says how much slower the engine is because proctor's kernels cannot compute, and why they cannot; "" where it is not slower.
func (e EngineInfo) Slower() string {
	if e.KernelsBecause == "" || e.Offloaded {
		return ""
	}
	return e.Version + " computes with ggml's kernels, about 3 to 5 times slower than proctor's, as measured with 5-shot prompts, because " +
		e.KernelsBecause
}

// FixedContext says whether the context is for the server to choose, when it is started, and not for the run.
func (e EngineInfo) FixedContext() bool { return e.Name == "openai" }

// GPUs names those that layers are on; empty where none are.
func (e EngineInfo) GPUs() string {
	if e.GPULayers == 0 {
		return ""
	}
	return cmp.Or(strings.Join(e.Devices, " and "), "the GPU")
}

// Unsteady names what makes texts depend on the number of slots: GPUs and ggml's kernels, which round a token's sums differently when
// other tokens are computed beside it. Empty where nothing does, or where that is unknown.
func (e EngineInfo) Unsteady() string {
	switch e.Kernels {
	case "":
		return ""
	case "ggml":
		return cmp.Or(e.GPUs(), "ggml's kernels")
	}
	return e.GPUs()
}

// Host describes the machine that ran it.
type Host struct {
	CPU         string   `json:"cpu"`
	Cores       int      `json:"cores"`
	MemoryBytes int64    `json:"memory_bytes"`
	GPUs        []string `json:"gpus"`
	OS          string   `json:"os"`
	Arch        string   `json:"arch"`
}

// SizeLabel is a number of parameters in the style of models' names, as 99M, 1.2M or 8B: two digits, or all before the point.
func SizeLabel(parameters int64) string {
	value, units := float64(parameters), "KMBT"
	for value /= 1000; value >= 999.5 && len(units) > 1; value /= 1000 {
		units = units[1:]
	}
	text := fmt.Sprintf("%.0f", value)
	if value < 9.95 {
		text = strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
	}
	return text + units[:1]
}

// CacheTypes are the element types of a cache's keys and of its values in a text as people and journals write it: q8_0 for both, or
// k=q8_0,v=q5_1.
func CacheTypes(text string) (key, value string, err error) {
	if !strings.Contains(text, "=") {
		return text, text, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "k" && key == "":
			key = kind
		case name == "v" && value == "":
			value = kind
		default:
			key, value = "", ""
		}
	}
	if key == "" || value == "" {
		return "", "", fmt.Errorf("KV type %q: give one type for keys and values, as in q8_0, or each its own, as in k=q8_0,v=q5_1", text)
	}
	return key, value, nil
}

// CacheType is the text that [CacheTypes] reads.
func CacheType(key, value string) string {
	if key == value {
		return key
	}
	return "k=" + key + ",v=" + value
}
