package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner"
)

func (p program) render() *cli.Command {
	return &cli.Command{
		Name:  "render",
		Usage: "print the exact prompt of a question",
		Description: "   proctor render --question 70 --data mmlu-pro/\n" +
			"   proctor render --question 70 --tasks mmlu_pro_binary --variant C\n" +
			"   proctor render --question 70 --model model.gguf      the token ids too\n" +
			"   proctor render --question 70 --model ollama:llama3.2:3b --prompt chat   as its server writes it\n" +
			"   proctor render --all --digest                        a line a subject: style, subject, count, sha256",
		Flags: slices.Concat(examFlags(), promptFlags(), []cli.Flag{
			&cli.IntFlag{Name: "question", Usage: "`ID` of the question (question_id)", Category: "EXAM"},
			&cli.StringFlag{Name: "variant", Usage: "`V` of the question's items, such as C or BCDA (default: the first)", Category: "EXAM"},
			&cli.BoolFlag{Name: "all", Usage: "every item, as JSON Lines of id and prompt", Category: "EXAM"},
			&cli.BoolFlag{Name: "digest", Usage: "with --all: only what identifies the prompts of each subject", Category: "EXAM"},
			&cli.StringFlag{Name: "model", Usage: "`REF` of a model, as run takes it: print the ids of its tokens too, and render --prompt with its chat template, or for ollama:NAME with the server's", Category: "MODEL"},
			inProcessFlag(),
		}),
		Action: p.renderAction,
	}
}

func (p program) renderAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("all") == c.IsSet("question") {
		return errors.New("render needs either --question ID or --all")
	}
	set, err := p.openSet(c)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		return p.renderAll(c, set)
	}
	item, err := itemOf(c, set)
	if err != nil {
		return err
	}
	if c.IsSet("model") {
		return p.renderFor(c, item)
	}
	if c.IsSet("prompt") || c.IsSet("think") {
		return errors.New("--prompt and --think need --model, whose chat template they mean")
	}
	_, err = fmt.Fprint(p.stdout, item.Prompt())
	return err
}

// renderFor prints an item's prompt as a model gets it, and its tokens.
func (p program) renderFor(c *cli.Context, item prompts.Item) error {
	options, err := p.modelOptions(c)
	if err != nil {
		return err
	}
	model, err := open.Reading(c.Context, options, c.String("prompt") != runner.PromptRaw)
	if err != nil {
		return err
	}
	defer model.Close()
	form, err := formOf(c)
	if err != nil {
		return err
	}
	form.Now = p.now().UTC()
	dialogue, err := form.Dialogue(c.Context, model)
	if err != nil {
		return err
	}
	if dialogue != nil {
		items, _, err := dialogue.Apply([]prompts.Item{item})
		if err != nil {
			return err
		}
		item = items[0]
	}
	ids, err := model.Tokenize(item.Prompt())
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Fprintln(p.stdout, item.Prompt())
		p.warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s\n\n%d tokens: %s\n", item.Prompt(), len(ids), strings.Trim(fmt.Sprint(ids), "[]"))
	return nil
}

func (p program) renderAll(c *cli.Context, set *dataset.Set) error {
	eval, items, err := itemsOf(c, set)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	if c.Bool("digest") {
		for _, digest := range prompts.Digests(eval.Style, items) {
			fmt.Fprintln(out, digest)
		}
		return out.Flush()
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, item := range items {
		line := struct {
			ID     string `json:"id"`
			Prompt string `json:"prompt"`
		}{item.ID, item.Prompt()}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// itemOf renders the one item that the flags name.
func itemOf(c *cli.Context, set *dataset.Set) (prompts.Item, error) {
	question, err := set.Find(c.Int("question"))
	if err != nil {
		return prompts.Item{}, err
	}
	eval, err := oneEval(c, set)
	if err != nil {
		return prompts.Item{}, err
	}
	items, err := eval.Items(set, []dataset.Question{question})
	if err != nil {
		return prompts.Item{}, err
	}
	variants := make([]string, len(items))
	for i, item := range items {
		if !c.IsSet("variant") || item.Variant == c.String("variant") {
			return item, nil
		}
		variants[i] = item.Variant
	}
	return prompts.Item{}, fmt.Errorf("question %d has no variant %q in %s; there are %s", question.ID, c.String("variant"), eval.Task, strings.Join(variants, ", "))
}
