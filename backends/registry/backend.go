package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/store"
)

// A Backend is one way to name a model, and who answers then.
type Backend struct {
	Scheme  string        // how a reference is written, for people
	Means   string        // what help says of it behind the scheme; empty for a row that another one's words stand for
	Answers string        // who answers, for people
	Refuses []Unsupported // the flags that it has no use for

	takes func(*Options) bool                                                     // whether it is the one that is meant
	file  func(ref string) (path string, err error)                               // finds the model's GGUF file
	open  func(context.Context, *Options) (backends.Model, error)                 // opens a model to run
	reads bool                                                                    // conversations are read by the opened model, a Reader
	list  func(ctx context.Context, folders, hosts []string, to *Catalogue) error // adds what it could open
}

// Unsupported is a flag that a backend has no use for.
type Unsupported struct{ Flag, Why string }

// All are the backends. The first that takes a reference is the one that is meant.
var All = []Backend{
	{embedded.Ref, "the control model", inProcess, alreadyHere, isEmbedded, embeddedFile, openEmbedded, false, listEmbedded},
	{ollamaPrefix + "NAME", "a model that an Ollama server has, as in ollama:llama3.2:3b", "an Ollama server", atServer,
		isServed, storedFile, openServed, true, listServers},
	{openaiPrefix + "NAME", "a model that a server of OpenAI's protocol has (llama-server, vLLM, LM Studio), see --servers",
		"a server of OpenAI's protocol", atProtocol, isOpenAI, noFile, openProtocol, true, listProtocol},
	{ollamaPrefix + "NAME --in-process", "", inProcess, here, isOllama, storedFile, openStored, false, listStore},
	{gollamaPrefix + "PATH.gguf", "one through go-llama.cpp (a build of its own: make gollama)", "go-llama.cpp", alone, isGollama,
		gollamaFile, openGollama, false, listNothing},
	{"PATH.gguf", "a GGUF file", inProcess, alreadyHere, isPath, pathItself, openPath, false, listFiles},
}

// References says for help how models are named, and what the names mean.
func References() string {
	return alternatives(func(b Backend) string { return b.Scheme + " for " + b.Means })
}

// Forms says in an error how models are named.
func Forms() string { return alternatives(func(b Backend) string { return b.Scheme }) }

func alternatives(say func(Backend) string) string {
	var all []string
	for _, b := range All {
		if b.Means != "" {
			all = append(all, say(b))
		}
	}
	return english.OxfordWordSeries(all, "or")
}

// Default is the reference of the model that every copy of this program carries.
const Default = embedded.Ref

const inProcess = "the in-process engine"

var (
	// here are the flags that do not apply to the in-process engine.
	here = []Unsupported{
		{"concurrency", "--slots says how many sequences it decodes at a time"},
		{"ollama-hosts", "no server is asked"},
		{"pull", "no server is asked; `ollama pull NAME` fetches a model into the local store"},
		{"timeout", "no server is waited for"},
		{"servers", "no server is asked"},
		{"vocabulary", "the model's own is at hand"},
	}
	alreadyHere = append([]Unsupported{{"in-process", "it is for ollama:NAME, everything else runs in-process anyway"}}, here...)
	// alone are those that do not apply to go-llama.cpp.
	alone = append([]Unsupported{
		{"slots", "it decodes one sequence at a time"},
		{"keep-logprobs", "it gives no log-probabilities: leave gollama: out"},
		{"min-p", "llama.cpp of September 2023 has none"},
		{"isolate", "it runs in this process"},
		{"tune", "it has nothing to tune"},
		{"kernels", "it brings its own"},
		{"engine", "it brings its own"},
		{"lora", "give the model's GGUF file without gollama:"},
		{"device", "its library's build decides"},
		{"tensor-split", "its library's build decides"},
		{"ggml-backends", "its library's build decides"},
		{"memory-limit", "--ctx says how much is set aside"},
		{"kv-type", "it is f16"},
		{"cache-type-k", "it is f16"},
		{"batch-size", "it is 512"},
		{"ubatch-size", "it is 512"},
	}, alreadyHere...)
	// atServer are the flags that do not apply to a model that an Ollama server runs.
	atServer = []Unsupported{
		{"slots", "--concurrency says how many requests are in flight, OLLAMA_NUM_PARALLEL on the server how many it answers at a time"},
		{"keep-logprobs", "a server does not give its tokens: --in-process asks the model's file without one"},
		{"tune", "it sets up the in-process engine"},
		{"kernels", "Ollama brings its own"},
		{"engine", "Ollama brings its own"},
		{"lora", "a Modelfile's ADAPTER names one for Ollama"},
		{"device", "the server's environment says which GPUs it uses, as in CUDA_VISIBLE_DEVICES"},
		{"tensor-split", "the server decides"},
		{"ggml-backends", "Ollama brings its own"},
		{"memory-limit", "the server plans its own memory"},
		{"isolate", "the server is another process anyway"},
		{"kv-type", "OLLAMA_KV_CACHE_TYPE on the server sets it"},
		{"cache-type-k", "OLLAMA_KV_CACHE_TYPE on the server sets it"},
		{"batch-size", "the server decides"},
		{"ubatch-size", "the server decides"},
		{"servers", "it is for openai:NAME; --ollama-hosts names Ollama's"},
		{"vocabulary", "it is for openai:NAME; Ollama says which file holds the model"},
	}
	// atProtocol are the flags that do not apply to a model that a server of OpenAI's protocol runs, which has no word for them.
	atProtocol = []Unsupported{
		{"isolate", "the server is another process anyway"},
		{"slots", "--concurrency says how many requests are in flight, the server how many it answers at a time"},
		{"ollama-hosts", "it is for ollama:NAME; --servers names the servers"},
		{"pull", "it is for ollama:NAME; the server decides which models it has"},
		{"in-process", "it is for ollama:NAME; give the model's GGUF file"},
		{"threads", "the server decides"},
		{"gpu-layers", "the server decides"},
		{"tune", "it sets up the in-process engine"},
		{"kernels", "the server brings its own"},
		{"engine", "the server brings its own"},
		{"lora", "the server is started with its adapters"},
		{"device", "the server decides"},
		{"tensor-split", "the server decides"},
		{"ggml-backends", "the server brings its own"},
		{"memory-limit", "the server plans its own memory"},
		{"kv-type", "the server decides"},
		{"cache-type-k", "the server decides"},
		{"batch-size", "the server decides"},
		{"ubatch-size", "the server decides"},
	}
)

// meant is the backend that the options ask for, if it has a use for every flag that was given.
func (o *Options) meant() (*Backend, error) {
	i := slices.IndexFunc(All, func(b Backend) bool { return b.takes(o) })
	if i < 0 {
		return nil, errors.New("--model is empty: give " + Forms())
	}
	for _, u := range All[i].Refuses {
		if !slices.Contains(o.Given, u.Flag) {
			continue
		}
		to := All[i].Answers
		if u.Flag == "in-process" {
			to = o.Ref
		}
		return nil, fmt.Errorf("--%s does not apply to %s: %s", u.Flag, to, u.Why)
	}
	return &All[i], nil
}

// Takes says whether who answers has a use for a flag.
func (o Options) Takes(flag string) bool {
	o.Given = []string{flag}
	_, err := o.meant()
	return err == nil
}

// Model opens a model to run.
func Model(ctx context.Context, options Options) (backends.Model, error) {
	b, err := options.meant()
	if err != nil {
		return nil, err
	}
	return b.open(ctx, &options)
}

// A Reader is the part of a model that reads a prompt. It is a [backends.Templated], or a [backends.Converser], too.
type Reader interface {
	backends.Tokenizer
	Close() error
}

// Reading opens what turns a model's prompts into tokens: its vocabulary, or its server where that is to write
// conversations down, or alone has the model.
func Reading(ctx context.Context, options Options, conversing bool) (Reader, error) {
	b, err := options.meant()
	if err != nil {
		return nil, err
	}
	path, err := b.file(options.Ref)
	if b.reads && (conversing || errors.Is(err, store.ErrNotFound) || isOpenAI(&options)) {
		model, err := b.open(ctx, &options)
		if err != nil {
			return nil, err
		}
		return model.(Reader), nil
	}
	if err != nil {
		return nil, err
	}
	return options.openVocabulary(ctx, path)
}

// openVocabulary opens the vocabulary of a file with the engine that opens the file.
func (o *Options) openVocabulary(ctx context.Context, path string) (*llamacpp.Vocabulary, error) {
	folder, err := o.engineFor(ctx, path)
	if err != nil {
		return nil, err
	}
	return llamacpp.OpenVocabulary(path, folder)
}
