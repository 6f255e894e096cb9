package registry

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/ollama"
)

// A Catalogue is every model that can be named.
type Catalogue struct {
	Embedded string  `json:"embedded"`
	Files    Place   `json:"files"`
	Servers  []Place `json:"servers"`

	openers openers
}

// A Place is where models are: a folder or a server, and what keeps others from being listed.
type Place struct {
	Title string `json:"-"` // for people; empty for a place that the user did not name
	None  string `json:"-"` // for people, where it has no models
	known Line   // what doctor says of a server

	Address string `json:"address,omitempty"` // of a server
	Version string `json:"version,omitempty"`
	Away    string `json:"away,omitempty"` // why it does not answer

	Models   []Named  `json:"models"`
	Problems []string `json:"problems,omitempty"`
}

// Named is one model. What is unknown is zero.
type Named struct {
	Ref           string  `json:"ref"`
	Path          string  `json:"path,omitempty"`
	Name          string  `json:"name,omitempty"` // the model's own
	Architecture  string  `json:"architecture"`
	Parameters    int64   `json:"parameters,omitempty"`
	Scale         string  `json:"parameter_size,omitempty"` // parameters as a server rounds them, such as 3.2B
	Quantization  string  `json:"quantization"`
	BitsPerWeight float64 `json:"bits_per_weight,omitempty"`
	SizeBytes     int64   `json:"size_bytes"` // of the file, or of all parts; of a server's model, all layers
	ContextLength int     `json:"context_length,omitempty"`
	Digest        string  `json:"digest,omitempty"`    // Ollama's, of the manifest
	OpenedBy      string  `json:"opened_by,omitempty"` // the in-process engine that a run takes
}

// List finds the models that can be named: in and below the folders, and at the servers, by default those that the
// environment names. It says which of the store's engines opens a file.
func List(ctx context.Context, folders []string, store engines.Store) (Catalogue, error) {
	c := Catalogue{Embedded: embedded.Ref, Files: Place{Models: []Named{}}, openers: newOpeners(store, "")}
	for _, b := range All {
		if b.list == nil {
			continue
		}
		if err := b.list(ctx, folders, &c); err != nil {
			return Catalogue{}, err
		}
	}
	return c, nil
}

// listFiles finds the GGUF files in folders and below them; a file that is named itself is one. A file that cannot be a
// model is a problem, not an error. A split model is listed once, by its first part.
func listFiles(ctx context.Context, folders []string, to *Catalogue) error {
	place := &to.Files
	if len(folders) > 0 {
		place.Title, place.None = "GGUF files in "+strings.Join(folders, ", "), "no .gguf files there"
	}
	parts := map[string]bool{} // of the models found
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			folder += string(filepath.Separator) // a link to a folder is walked, too
		}
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil && path == folder {
				return fmt.Errorf("%w: give a folder with .gguf files", err)
			}
			if err != nil {
				place.Problems = append(place.Problems, err.Error())
				return nil
			}
			if entry.IsDir() || parts[path] || !strings.EqualFold(filepath.Ext(path), ".gguf") {
				return nil
			}
			file, err := gguf.Open(path)
			if err == nil {
				err = file.Answers()
			}
			if err != nil {
				place.Problems = append(place.Problems, err.Error())
				return nil
			}
			for _, part := range file.Parts {
				parts[part] = true
			}
			found := Named{
				Ref: path, Path: file.Path, Name: file.Name(), Architecture: file.Architecture(),
				Parameters: file.Parameters(), Quantization: file.FileType(), BitsPerWeight: file.BitsPerWeight(),
				SizeBytes: file.Size, ContextLength: file.ContextLength(),
			}
			if engine, err := to.openers.of(ctx, file); err != nil {
				place.Problems = append(place.Problems, err.Error())
			} else {
				found.OpenedBy = nameOf(engine)
			}
			place.Models = append(place.Models, found)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listOllama finds the models of the Ollama server that the environment names.
func listOllama(ctx context.Context, _ []string, to *Catalogue) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	offer, err := ollama.List(ctx)
	if err != nil {
		return err
	}
	place := Place{
		Title: "Ollama server at " + offer.Server, None: "it has no models: `ollama pull NAME` fetches one",
		Address: offer.Server, Version: offer.Version, Models: []Named{},
		known: Line{"Ollama", fmt.Sprintf("server %s at %s", offer.Version, offer.Server)},
	}
	if offer.Away != nil {
		place.Away = offer.Away.Error()
		place.None = fmt.Sprintf("no server answers at %s (OLLAMA_HOST says where it is)", offer.Server)
		place.known.Text = place.None
	}
	for _, m := range offer.Models {
		if m.RemoteHost != "" {
			place.Problems = append(place.Problems, fmt.Sprintf("%s would pass the prompts on to %s, which proctor does not do",
				m.Name, m.RemoteHost))
			continue
		}
		place.Models = append(place.Models, Named{
			Ref: ollama.Prefix + m.Name, Architecture: m.Details.Family, Scale: m.Details.ParameterSize,
			Quantization: m.Details.QuantizationLevel, SizeBytes: m.Size, Digest: m.Digest,
		})
	}
	to.Servers = append(to.Servers, place)
	return nil
}

// soon is how long servers may take to list their models.
const soon = 2 * time.Second
