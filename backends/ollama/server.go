package ollama

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/servers"
)

// A server is one of a model's hosts.
type server struct {
	host
	servers.State
	now servers.Guarded[condition]
}

// condition is the latest state that the model's server reported.
type condition struct {
	version string  // of Ollama, when it was met
	context int     // tokens that it gives a request; 0 where it does not say
	size    int64   // bytes of the loaded model, its cache counted
	onGPU   int64   // of them
	before  []int32 // tokens of the last prompt
}

// checkTime is how long a server may take to say that it is there.
const checkTime = 10 * time.Second

// sharedWith notes the prompt that the server is about to get, and returns how many tokens of the one before it begins
// with: those the server still has.
func (s *server) sharedWith(prompt []int32) (shared int) {
	s.now.Change(func(c *condition) {
		shared = backends.CommonPrefix(prompt, c.before)
		c.before = prompt
	})
	return shared
}

// facts hold what a server reports about the model.
type facts struct {
	info     backends.ModelInfo
	thinks   bool                     // the server knows how to switch its thinking on and off
	template string                   // the server's own, in the language of Go's templates
	renderer string                   // of servers that write conversations down in code, its name
	stop     []string                 // stop strings of the model's turns
	shape    string                   // digest of all that is served beside the weights: template, system prompt, parameters
	sampling *backends.Recommendation // that the parameters are; nil for none
}

// facts fetches what the model is; the error is conclusive where the model cannot be used here.
func (s *server) facts(ctx context.Context, o *Options) (facts, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, checkTime, servers.ErrSilent)
	defer cancel()
	show, err := s.Show(ctx, &api.ShowRequest{Model: o.Name})
	code, _ := statusOf(err)
	switch {
	case code == http.StatusNotFound:
		return facts{}, servers.Conclude("%s has no model %q%s: `ollama pull %s` there gets it", s.Name(), o.Name,
			s.others(ctx), o.Name)
	case err != nil:
		return facts{}, plain(ctx, err)
	case show.RemoteHost != "":
		return facts{}, servers.Conclude("the model cannot be used: %s would pass the prompts on to %s: take one that it "+
			"runs itself", s.Name(), show.RemoteHost)
	case len(show.Capabilities) > 0 && !slices.Contains(show.Capabilities, model.CapabilityCompletion):
		return facts{}, servers.Conclude("the model cannot be used: at %s it completes no text: it can %v", s.Name(),
			show.Capabilities)
	}
	f := facts{
		info: backends.ModelInfo{
			Ref:          o.Ref,
			Name:         model.ParseName(o.Name).DisplayShortest(),
			Quantization: show.Details.QuantizationLevel,
			FileSHA256:   blob(show.Modelfile),
		},
		thinks:   slices.Contains(show.Capabilities, model.CapabilityThinking),
		template: show.Template,
		renderer: show.Renderer,
		stop:     stops(show.Parameters),
		shape:    shape(show),
		sampling: recommended(show.Parameters),
	}
	f.info.Architecture, _ = show.ModelInfo["general.architecture"].(string)
	f.info.Parameters = integer(show.ModelInfo["general.parameter_count"])
	f.info.ContextLength = int(integer(show.ModelInfo[f.info.Architecture+".context_length"]))
	f.info.TensorTypes = tensorTypes(show.Tensors)
	for _, t := range f.info.TensorTypes {
		f.info.SizeBytes += t.Bytes
	}
	if f.info.Parameters > 0 {
		f.info.BitsPerWeight = 8 * float64(f.info.SizeBytes) / float64(f.info.Parameters)
	}
	if f.converses() {
		sum := sha256.Sum256([]byte(f.renderer + f.template))
		f.info.ChatTemplateSHA256 = hex.EncodeToString(sum[:])
	}
	return f, nil
}

// others lists in an error which models the server has; nothing where it does not list them.
func (s *server) others(ctx context.Context) string {
	list, err := s.List(ctx)
	if err != nil {
		return ""
	}
	if len(list.Models) == 0 {
		return ", nor any other"
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	return ", it has " + servers.Listed(names)
}

// differs says in what other is another model, with the digests of both; what is empty where it is the same. The digest
// that Ollama lists will not do: that of a model made by ollama create depends on the folder in which the server keeps it.
func (f *facts) differs(other *facts) (what, ours, theirs string) {
	const unknown = "unknown"
	switch {
	case f.info.FileSHA256 != other.info.FileSHA256:
		return "weights", cmp.Or(f.info.FileSHA256, unknown), cmp.Or(other.info.FileSHA256, unknown)
	case f.shape != other.shape:
		return "template, system prompt and parameters", f.shape, other.shape
	}
	return "", "", ""
}

// shape is a digest of what is served beside the weights.
func shape(show *api.ShowResponse) string {
	parameters := slices.Sorted(strings.Lines(show.Parameters + "\n")) // they come in any order
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %+v", show.Template, show.Renderer, show.Parser, show.System, parameters, show.Messages)
	return hex.EncodeToString(sum.Sum(nil))
}

// bare is the template that Ollama gives models whose own template it does not know: it marks no turns.
const bare = "{{ .Prompt }}"

// converses says whether the server has a way to write conversations down for the model.
func (f *facts) converses() bool {
	return f.renderer != "" || f.template != "" && f.template != bare
}

// fromBlob finds the weights' file in a Modelfile: the name of a file in Ollama's store is its SHA-256.
var fromBlob = regexp.MustCompile(`(?m)^FROM\s.*sha256[-:]([0-9a-f]{64})\s*$`)

func blob(modelfile string) string {
	if m := fromBlob.FindStringSubmatch(modelfile); m != nil {
		return m[1]
	}
	return ""
}

// lines are a model's parameters, which come a line each: name, blanks, value as Go writes it.
func lines(parameters string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(parameters) {
			if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); !yield(name, strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// stops are the stop strings among a model's parameters.
func stops(parameters string) []string {
	var all []string
	for name, value := range lines(parameters) {
		if text, err := strconv.Unquote(value); name == "stop" && err == nil && text != "" {
			all = append(all, text)
		}
	}
	return all
}

// recommended is the sampling that the parameters of a model's Modelfile recommend; nil where they have none.
func recommended(parameters string) *backends.Recommendation {
	said := map[string]float64{}
	for name, value := range lines(parameters) {
		if x, err := strconv.ParseFloat(value, 64); err == nil {
			said[name] = x
		}
	}
	return backends.Recommend("the Modelfile", said, nil)
}

// Recommended implements [backends.Recommender].
func (m *Model) Recommended() *backends.Recommendation { return m.facts.sampling }

// tensorTypes counts the tensors by their types, the one with most bytes first; nil where one of them has an unknown type.
func tensorTypes(tensors []api.Tensor) (all []backends.TensorType) {
	for _, t := range tensors {
		elements := int64(1)
		for _, n := range t.Shape {
			elements *= int64(n)
		}
		bytes, known := gguf.Bytes(t.Type, elements)
		if !known {
			return nil
		}
		i := slices.IndexFunc(all, func(c backends.TensorType) bool { return c.Type == t.Type })
		if i < 0 {
			i, all = len(all), append(all, backends.TensorType{Type: t.Type})
		}
		all[i].Tensors++
		all[i].Bytes += bytes
	}
	slices.SortStableFunc(all, func(a, b backends.TensorType) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// integer reads a number as JSON gives it.
func integer(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}
