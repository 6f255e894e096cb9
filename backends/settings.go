package backends

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"proctor/backends/setting"
)

// Settings say which model is asked and how it computes. A run's specification embeds them, and a backend reads them.
// Tags have a field's flag, what package spec reads of it, and by: the backends that know it, where not all do. Zero
// values choose what fits.
type Settings struct {
	Model string `flag:"model" is:"input"` // as users name it

	// Slots are sequences decoded at a time, Context the tokens that each holds.
	Slots        int      `flag:"slots" is:"machine" from:"1" or:"auto" by:"llamacpp"`
	Threads      int      `flag:"threads" is:"machine" from:"1" by:"llamacpp,ollama,gollama"`
	GPULayers    Layers   `flag:"gpu-layers" is:"machine" by:"llamacpp,ollama,gollama"`
	Devices      []string `flag:"device" is:"machine" by:"llamacpp"`   // the GPUs to use, such as CUDA0; none: all
	KVType       string   `flag:"kv-type" is:"identity" by:"llamacpp"` // see [CacheTypes]
	Engine       string   `flag:"engine" is:"code" by:"llamacpp"`      // a name or a folder of a llama.cpp
	Adapters     Adapters `flag:"lora" is:"input" by:"llamacpp" times:"many"`
	Kernels      string   `flag:"kernels" is:"identity" by:"llamacpp"` // that compute on the CPU
	Context      int      `flag:"ctx" is:"machine" from:"1"`
	KeepLogprobs bool     `flag:"keep-logprobs" is:"identity" by:"llamacpp"`

	// Concurrency is the number of requests in flight at each server, Timeout an item's time with all its tries.
	Servers     []string      `flag:"servers" is:"destination" by:"ollama,openai"`
	Body        Body          `flag:"extra-body" is:"destination" by:"openai"`
	Concurrency int           `flag:"concurrency" is:"machine" from:"1" or:"auto" by:"ollama,openai"`
	Timeout     time.Duration `flag:"timeout" is:"machine" by:"ollama,openai"`
}

// Knows says whether a backend knows a setting, by the setting's flag, or a way to sample, as in "sampling min_p".
func Knows(backend, flag string) bool {
	for _, of := range []reflect.Type{reflect.TypeFor[Settings](), reflect.TypeFor[Sampling]()} {
		for field := range of.Fields() {
			by, some := field.Tag.Lookup("by")
			if some && (field.Tag.Get("flag") == flag || "sampling "+field.Tag.Get("json") == flag) {
				return slices.Contains(strings.Split(by, ","), backend)
			}
		}
	}
	return true
}

// Layers are how many of a model's layers go to GPUs, its output counted as one. The zero value leaves it to the
// backend.
type Layers int

// Layers besides a number above 0.
const (
	AllLayers  Layers = 999
	AutoLayers Layers = -1 // as many as the GPUs have free memory for
	NoLayers   Layers = -2
)

// layerWords are the texts of layers that are no number of their own.
var layerWords = map[Layers]string{AllLayers: "all", AutoLayers: setting.Auto, NoLayers: "0"}

// Set reads a flag.
func (l *Layers) Set(text string) error {
	for layers, word := range layerWords {
		if text == word {
			*l = layers
			return nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("give a number from 0, all, or auto")
	}
	if n > int(AllLayers) {
		return fmt.Errorf("give at most %d, or all", AllLayers)
	}
	*l = Layers(n)
	return nil
}

// Texts are the arguments for Set.
func (l *Layers) Texts() []string {
	if *l == 0 {
		return nil
	}
	if word, has := layerWords[*l]; has {
		return []string{word}
	}
	return []string{strconv.Itoa(int(*l))}
}

// Adapters are the LoRA adapters of a model, whose files are not read yet.
type Adapters []Adapter

// Set adds the adapters of a list, each FILE or FILE=SCALE. A file that exists may have commas and = in its name.
func (a *Adapters) Set(text string) error {
	all, parts := slices.Clip(*a), []string{text}
	if whole, err := parseAdapter(text); err != nil || !exists(whole.Ref) {
		parts = strings.Split(text, ",")
	}
	for _, part := range parts {
		adapter, err := parseAdapter(part)
		if err != nil {
			return err
		}
		all = append(all, adapter)
	}
	*a = all
	return nil
}

// parseAdapter reads FILE or FILE=SCALE.
func parseAdapter(text string) (Adapter, error) {
	at := strings.LastIndex(text, "=")
	if at < 0 || exists(text) {
		return Adapter{Ref: text, Scale: 1}, nil
	}
	scale, err := strconv.ParseFloat(text[at+1:], 64)
	if err != nil || !Within(scale, -mostScale, mostScale) {
		return Adapter{}, fmt.Errorf("the scale %q is not a number from -%d to %[2]d: give FILE or FILE=SCALE, as in "+
			"adapter.gguf=0.5", text[at+1:], mostScale)
	}
	return Adapter{Ref: text[:at], Scale: scale}, nil
}

// mostScale is the largest scale of an adapter.
const mostScale = 1000

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Texts are the arguments for Set.
func (a *Adapters) Texts() (all []string) {
	for _, adapter := range *a {
		text := adapter.Ref
		if adapter.Scale != 1 || strings.Contains(text, "=") {
			text += "=" + strconv.FormatFloat(adapter.Scale, 'g', -1, 64)
		}
		all = append(all, text)
	}
	return all
}

// A Body is sent to servers with each request: a JSON object, or @FILE with one.
type Body struct{ setting.Source }

// Set reads a flag.
func (b *Body) Set(text string) error {
	content, isFile, err := setting.BehindAt(text, "a JSON object")
	if b.Source = (setting.Source{Given: text}); isFile {
		b.Text = content
	}
	return err
}
