package form

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/chat"
	"proctor/runner/ask/spec"
)

// chatty is a model with a template of its own, behind a server that may have one too.
type chatty struct {
	own    backends.ChatTemplate
	server string
	writes func(messages []backends.Message) string
}

func (c chatty) ChatTemplate() backends.ChatTemplate { return c.own }
func (c chatty) Converses() string                   { return c.server }

func (c chatty) Converse(_ context.Context, messages []backends.Message, _ *bool) (string, error) {
	return c.writes(messages), nil
}

// The form of the prompts follows from the mode and from who has a template; that of the server counts before the model's own.
func TestTheFormOfThePromptsFollowsFromModeAndTemplates(t *testing.T) {
	const text = `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}` +
		`{% if add_generation_prompt %}<a>{% endif %}`
	own := backends.ChatTemplate{Text: text, BOS: "<s>", EOS: "</s>"}
	alike := func(messages []backends.Message) string { // as own, but without what begins a text
		var b strings.Builder
		for _, m := range messages {
			b.WriteString("<" + m.Role + ">" + m.Content)
		}
		return b.String() + "<a>"
	}
	template := func(given, text string) spec.Template {
		return spec.Template{Source: setting.Source{Given: given, Text: text}}
	}
	argued := func(name string, value any) spec.Arguments {
		return spec.Arguments{Arguments: chat.Arguments{name: value}}
	}
	otherwise := func(messages []backends.Message) string { return alike(messages[len(messages)-1:]) }
	builtin := func(name string, messages []backends.Message) (string, error) { return name + alike(messages), nil }
	for name, c := range map[string]struct {
		form  spec.Prompts
		model any
		want  string // what a question becomes; "raw", or the beginning of an error
		named string
		turns bool
	}{
		"nothing said":            {spec.Prompts{}, chatty{own: own}, "raw", "", false},
		"auto without a template": {spec.Prompts{Prompt: "auto"}, chatty{}, "raw", "", false},
		"auto with the model's":   {spec.Prompts{Prompt: "auto"}, chatty{own: own}, "<s><user>q<a>", "", false},
		"auto with the server's": {spec.Prompts{Prompt: "auto"}, chatty{server: "S", writes: alike}, "<user>q<a>", "",
			false},
		"auto with a built-in one": {spec.Prompts{Prompt: "auto", ChatTemplate: template("b", "")}, chatty{},
			"b<user>q<a>", "llama.cpp's built-in b", false},
		"turns": {spec.Prompts{Prompt: "turns"}, chatty{own: own}, "<s><user>q<a>", "", true},
		"a server that writes alike": {spec.Prompts{Prompt: "chat"}, chatty{own: own, server: "S", writes: alike},
			"<user>q<a>", "", false},
		"one that does not, in turns": {spec.Prompts{Prompt: "turns"}, chatty{own, "S", otherwise}, "<user>q<a>", "S's",
			true},
		"one whose model's is broken": {spec.Prompts{Prompt: "chat"}, chatty{backends.ChatTemplate{Text: "{% if"}, "S",
			alike}, "<user>q<a>", "S's", false},
		"built-in before the server's": {spec.Prompts{Prompt: "chat", ChatTemplate: template("b", "")}, chatty{own,
			"S", alike}, "b<user>q<a>", "llama.cpp's built-in b", false},
		"a file before the server's": {spec.Prompts{Prompt: "auto", TemplateArgs: argued("effort", "low"),
			ChatTemplate: template("@f.jinja", "{{ messages[0].content }} {{ effort }}")},
			chatty{own, "S", alike}, "q low", "f.jinja", false},
		"arguments for the model's": {spec.Prompts{Prompt: "chat", TemplateArgs: argued("bos", true)}, chatty{own: own},
			"the model's chat template reads no variable bos", "", false},
		"arguments for a server that takes none": {spec.Prompts{Prompt: "chat", TemplateArgs: argued("a", true)},
			chatty{own, "S", alike},
			"template arg: S gives its chat templates no variables", "", false},
		"arguments for a built-in one": {spec.Prompts{Prompt: "chat", TemplateArgs: argued("a", true),
			ChatTemplate: template("b", "")}, chatty{},
			"template arg: llama.cpp's built-in chat templates read no variables", "", false},
		"arguments for raw prompts": {spec.Prompts{TemplateArgs: argued("a", true)}, chatty{},
			"template arg needs prompt chat or turns", "", false},
		"a file for raw prompts": {spec.Prompts{ChatTemplate: template("@f.jinja", "{{ messages }}")}, chatty{own: own},
			"chat template @f.jinja needs prompt chat or turns", "", false},
		"chat without a template": {spec.Prompts{Prompt: "chat"}, chatty{},
			"prompt chat: the model has no chat template", "", false},
		"a mode that is none": {spec.Prompts{Prompt: "talk"}, chatty{own: own},
			"prompt talk: there are raw, chat, turns and auto", "", false},
		"thinking in raw prompts": {spec.Prompts{Think: "on"}, chatty{own: own}, "think on needs a chat prompt", "",
			false},
		"a template for raw prompts": {spec.Prompts{ChatTemplate: template("b", "")}, chatty{},
			"chat template b needs prompt chat or turns", "", false},
	} {
		d, err := Form{Prompts: c.form, Write: builtin}.Dialogue(t.Context(), c.model)
		got := chat.Rendering{Text: "raw"}
		if d != nil && err == nil {
			assert.Check(t, d.Named == c.named && d.Turns == c.turns, "%s: named %q, turns %v", name, d.Named, d.Turns)
			options := d.Options
			options.AddGenerationPrompt = true
			got, err = d.Template.Fold([]chat.Message{{Role: "user", Content: "q"}}, options)
		}
		if err != nil {
			assert.Check(t, strings.HasPrefix(err.Error(), c.want), "%s: %v", name, err)
			continue
		}
		assert.Check(t, is.Equal(got.Text, c.want), name)
	}
	thinking, err := Form{Prompts: spec.Prompts{Prompt: "chat", Think: "on"}}.Dialogue(t.Context(), chatty{own: own})
	assert.Check(t, err == nil && *thinking.Options.EnableThinking, "a model that is to think: %+v: %v", thinking, err)
}
