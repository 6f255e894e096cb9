package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
)

// ollamaFlags say how an Ollama server is asked, or that none is.
func ollamaFlags() []cli.Flag {
	const category = "OLLAMA"
	return []cli.Flag{
		hostsFlag("spread the items over servers, which must all hold the same model: a `LIST` as in 10.0.0.5:11434,10.0.0.6:11434"),
		&cli.StringFlag{Name: "concurrency", Value: auto, Usage: "requests in flight at each server: `N`, or auto for what a short probe finds fastest", Category: category},
		&cli.DurationFlag{Name: "timeout", DefaultText: "15m", Usage: "give an item up after `TIME`, all tries and waits counted, as in 90s or 10m", Category: category},
		&cli.BoolFlag{Name: "pull", Usage: "have a server that lacks the model pull it first", Category: category},
		inProcessFlag(),
	}
}

func hostsFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "ollama-hosts", DefaultText: "the one that OLLAMA_HOST names", Usage: usage, Category: "OLLAMA"}
}

func inProcessFlag() cli.Flag {
	return &cli.BoolFlag{Name: "in-process", Usage: "run ollama:NAME without a server: its GGUF file is taken from Ollama's local store", Category: "OLLAMA"}
}

// hostsOf reads --ollama-hosts; none stand for OLLAMA_HOST.
func hostsOf(c *cli.Context) []string {
	if !c.IsSet("ollama-hosts") {
		return nil
	}
	return strings.Split(c.String("ollama-hosts"), ",")
}

// soon is how long servers get to answer where nobody waits for them alone.
const soon = 2 * time.Second

// offers asks servers what they have.
func offers(ctx context.Context, hosts []string) ([]ollama.Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	return ollama.Look(ctx, hosts)
}

// silentServer says that a server does not answer.
func silentServer(address string) string {
	return fmt.Sprintf("no server answers at %s (OLLAMA_HOST says where it is)", address)
}

// ollamaServer says which server answers.
func ollamaServer(ctx context.Context) string {
	found, err := offers(ctx, nil)
	if err != nil {
		return err.Error()
	}
	if found[0].Away != nil {
		return silentServer(found[0].Server)
	}
	return fmt.Sprintf("server %s at %s", found[0].Version, found[0].Server)
}

// ollamaStore says what the local store holds, and what of it cannot be used.
func ollamaStore() string {
	local := store.Local()
	models, problems := local.List()
	var bytes int64
	counted := map[string]bool{}
	for _, m := range models {
		if !counted[m.Path] { // several names of one file
			counted[m.Path] = true
			bytes += m.Size
		}
	}
	text := "no models in " + strings.Join(local.Folders, " or ")
	if len(models) > 0 {
		text = fmt.Sprintf("%s, %s", english.Plural(len(models), "model", ""), size(bytes))
	}
	for _, problem := range problems {
		text += "; " + problem.Error()
	}
	return text
}
