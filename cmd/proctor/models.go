package main

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/embedded"
	"proctor/backends/gguf"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/runner/page"
)

func (p program) models() *cli.Command {
	return &cli.Command{
		Name:      "models",
		Usage:     "list the models that --model can name",
		ArgsUsage: "[DIR…]",
		Description: "Lists the GGUF files in the folders DIR and below them, the models in Ollama's local store\n" +
			"($OLLAMA_MODELS, else ~/.ollama/models and the system service's), which run --in-process takes\n" +
			"without a server, and those of the server at $OLLAMA_HOST where it answers.\n\n" +
			"   proctor models\n" +
			"   proctor models ~/models /data/gguf\n" +
			"   proctor models --format json ~/models",
		Flags:  []cli.Flag{hostsFlag("`LIST` of servers to ask"), formatFlag("list", modelsFormats)},
		Action: p.modelsAction,
	}
}

func (p program) modelsAction(c *cli.Context) error {
	format, err := modelsFormats.Named(c.String("format"))
	if err != nil {
		return err
	}
	found := shelf{Embedded: embedded.Ref, Files: newGroup()}
	for _, folder := range c.Args().Slice() {
		files, problems, err := ggufFiles(folder)
		if err != nil {
			return err
		}
		found.Files.Models = append(found.Files.Models, files...)
		found.Files.Problems = append(found.Files.Problems, problems...)
	}
	found.asked = c.Args().Slice()
	found.Store = storedModels(store.Local())
	servers, err := offers(c.Context, hostsOf(c))
	if err != nil {
		return err
	}
	for _, offer := range servers {
		found.Servers = append(found.Servers, servedModels(offer))
	}
	return format.Write(p.stdout, found)
}

// A shelf is every model that --model can name.
type shelf struct {
	Embedded string   `json:"embedded"`
	Files    group    `json:"files"`
	Store    group    `json:"store"`
	Servers  []server `json:"servers"`

	asked []string // the folders that were searched for files
}

// A group is the models of one place, and what keeps others from being listed.
type group struct {
	Models   []available `json:"models"`
	Problems []string    `json:"problems,omitempty"`
}

func newGroup() group { return group{Models: []available{}} }

// A server is Ollama's, which lists its models itself.
type server struct {
	Address string `json:"address"`
	Version string `json:"version,omitempty"`
	Away    string `json:"away,omitempty"` // why it does not answer
	group
}

// available is one model. What is unknown is zero.
type available struct {
	Ref           string  `json:"ref"` // as --model takes it
	Path          string  `json:"path,omitempty"`
	Name          string  `json:"name,omitempty"` // the model's own
	Architecture  string  `json:"architecture"`
	Parameters    int64   `json:"parameters,omitempty"`
	Scale         string  `json:"parameter_size,omitempty"` // parameters as a server rounds them, such as 3.2B
	Quantization  string  `json:"quantization"`
	BitsPerWeight float64 `json:"bits_per_weight,omitempty"`
	SizeBytes     int64   `json:"size_bytes"` // of the file, or of all parts; of a server's model, all layers
	ContextLength int     `json:"context_length,omitempty"`
	Digest        string  `json:"digest,omitempty"` // Ollama's, of the manifest
}

// describe fills in what a file's header says.
func describe(ref string, file *gguf.File) available {
	return available{
		Ref: ref, Path: file.Path, Name: file.Name(), Architecture: file.Architecture(), Parameters: file.Parameters(),
		Quantization: file.FileType(), BitsPerWeight: file.BitsPerWeight(), SizeBytes: file.Size, ContextLength: file.ContextLength(),
	}
}

// storedModels lists a local store.
func storedModels(local store.Store) group {
	found := newGroup()
	models, problems := local.List()
	for _, problem := range problems {
		found.Problems = append(found.Problems, problem.Error())
	}
	for _, m := range models {
		file, err := gguf.Open(m.Path)
		if err != nil {
			found.Problems = append(found.Problems, fmt.Sprintf("%s: %v", m.Name, err))
			continue
		}
		model := describe(ollamaPrefix+m.Name, file)
		model.Digest = m.Digest
		found.Models = append(found.Models, model)
	}
	return found
}

// servedModels lists what a server offers.
func servedModels(offer ollama.Offer) server {
	found := server{Address: offer.Server, Version: offer.Version, group: newGroup()}
	if offer.Away != nil {
		found.Away = offer.Away.Error()
		return found
	}
	for _, m := range offer.Models {
		if m.PassedOnTo != "" {
			found.Problems = append(found.Problems, fmt.Sprintf("%s would pass the prompts on to %s, which proctor does not do", m.Name, m.PassedOnTo))
			continue
		}
		found.Models = append(found.Models, available{
			Ref: ollamaPrefix + m.Name, Architecture: m.Architecture, Scale: m.Parameters,
			Quantization: m.Quantization, SizeBytes: m.Size, Digest: m.Digest,
		})
	}
	return found
}

var modelsFormats = page.FormatsOf(shelf.page)

// page lays the shelf out.
func (s shelf) page() page.Page {
	out := page.Page{Title: "Models that --model can name"}
	out.Add(page.Section{Title: "Built in", Notes: []string{s.Embedded + ": the control model"}})
	if len(s.asked) > 0 {
		out.Add(s.Files.section("GGUF files in "+strings.Join(s.asked, ", "), "no .gguf files there"))
	}
	out.Add(s.Store.section("Ollama's local store (run --in-process)", "no models in "+strings.Join(store.Local().Folders, " or ")))
	for _, each := range s.Servers {
		none := "it has no models: `ollama pull NAME` fetches one"
		if each.Away != "" {
			none = silentServer(each.Address)
		}
		out.Add(each.section("Ollama server at "+each.Address, none))
	}
	return out
}

// section is the group as a table, or none where it is empty.
func (g group) section(title, none string) page.Section {
	section := page.Section{Title: title, Warnings: g.Problems}
	if len(g.Models) == 0 {
		section.Notes = []string{none}
		return section
	}
	section.Table = &page.Grid{Head: []string{"model", "architecture", "parameters", "quantization", "size"}}
	for _, m := range g.Models {
		parameters := m.Scale
		if m.Parameters > 0 {
			parameters = humanize.Comma(m.Parameters)
		}
		section.Table.Add(m.Ref, m.Architecture, parameters, m.Quantization, size(m.SizeBytes))
	}
	return section
}
