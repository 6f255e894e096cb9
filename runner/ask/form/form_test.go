package form

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/prompts/chat"
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
	on := true
	const template = `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}` +
		`{% if add_generation_prompt %}<a>{% endif %}`
	own := backends.ChatTemplate{Text: template, BOS: "<s>", EOS: "</s>"}
	alike := func(messages []backends.Message) string { // as own, but without what begins a text
		var b strings.Builder
		for _, m := range messages {
			b.WriteString("<" + m.Role + ">" + m.Content)
		}
		return b.String() + "<a>"
	}
	otherwise := func(messages []backends.Message) string { return alike(messages[len(messages)-1:]) }
	builtin := func(name string, messages []backends.Message) (string, error) { return name + alike(messages), nil }
	for name, c := range map[string]struct {
		form  Form
		model any
		want  string // what a question becomes; "raw", or the beginning of an error
		named string
		turns bool
	}{
		"nothing said":                {Form{}, chatty{own: own}, "raw", "", false},
		"auto without a template":     {Form{Mode: "auto"}, chatty{}, "raw", "", false},
		"auto with the model's":       {Form{Mode: "auto"}, chatty{own: own}, "<s><user>q<a>", "", false},
		"auto with the server's":      {Form{Mode: "auto"}, chatty{server: "S", writes: alike}, "<user>q<a>", "", false},
		"auto with a built-in one":    {Form{Mode: "auto", Builtin: "b", Write: builtin}, chatty{}, "b<user>q<a>", "llama.cpp's built-in b", false},
		"turns":                       {Form{Mode: "turns"}, chatty{own: own}, "<s><user>q<a>", "", true},
		"a server that writes alike":  {Form{Mode: "chat"}, chatty{own: own, server: "S", writes: alike}, "<user>q<a>", "", false},
		"one that does not, in turns": {Form{Mode: "turns"}, chatty{own, "S", otherwise}, "<user>q<a>", "S's", true},
		"one whose model's is broken": {Form{Mode: "chat"}, chatty{backends.ChatTemplate{Text: "{% if"}, "S", alike}, "<user>q<a>", "S's", false},
		"built-in before the server's": {Form{Mode: "chat", Builtin: "b", Write: builtin}, chatty{own,
			"S", alike}, "b<user>q<a>", "llama.cpp's built-in b", false},
		"a file before the server's": {Form{Mode: "auto", File: "{{ messages[0].content }} {{ effort }}", FileName: "f.jinja",
			Arguments: chat.Arguments{"effort": "low"}}, chatty{own, "S", alike}, "q low", "f.jinja", false},
		"arguments for the model's": {Form{Mode: "chat", Arguments: chat.Arguments{"bos": true}}, chatty{own: own},
			"the model's chat template reads no variable bos", "", false},
		"arguments for a server that takes none": {Form{Mode: "chat", Arguments: chat.Arguments{"a": true}}, chatty{own, "S", alike},
			"template arg: S gives its chat templates no variables", "", false},
		"arguments for a built-in one": {Form{Mode: "chat", Builtin: "b", Write: builtin, Arguments: chat.Arguments{"a": true}}, chatty{},
			"template arg: llama.cpp's built-in chat templates read no variables", "", false},
		"arguments for raw prompts": {Form{Arguments: chat.Arguments{"a": true}}, chatty{}, "template arg needs prompt chat or turns", "", false},
		"a file for raw prompts": {Form{File: "{{ messages }}", FileName: "f.jinja"}, chatty{own: own},
			"chat template @f.jinja needs prompt chat or turns", "", false},
		"chat without a template":    {Form{Mode: "chat"}, chatty{}, "prompt chat: the model has no chat template", "", false},
		"a mode that is none":        {Form{Mode: "talk"}, chatty{own: own}, "prompt talk: there are raw, chat, turns and auto", "", false},
		"thinking in raw prompts":    {Form{Think: &on}, chatty{own: own}, "think on needs a chat prompt", "", false},
		"a template for raw prompts": {Form{Builtin: "b"}, chatty{}, "chat template b needs prompt chat or turns", "", false},
	} {
		d, err := c.form.Dialogue(t.Context(), c.model)
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
	thinking, err := Form{Mode: "chat", Think: &on}.Dialogue(t.Context(), chatty{own: own})
	assert.Check(t, err == nil && thinking.Options.EnableThinking == &on, "a model that is to think: %+v: %v", thinking, err)
}
