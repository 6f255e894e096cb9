package runner_test

import (
	"path/filepath"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

const plainTemplate = `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ '' if enable_thinking else '<answer>' }}`

// TestAConversationGoesToABackendThatWritesItDownItself demands the turns beside the prompt where the template is the
// backend's, and only there.
func TestAConversationGoesToABackendThatWritesItDownItself(t *testing.T) {
	template, err := chat.Parse(plainTemplate)
	if err != nil {
		t.Fatal(err)
	}
	off := false
	for name, served := range map[string]bool{"by the server": true, "here": false} {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
			dialogue := prompts.Dialogue{Template: template, Turns: true, Served: served, Options: chat.Options{EnableThinking: &off}}
			if err := plan.Converse(dialogue, "off"); err != nil {
				t.Fatal(err)
			}
			asked := 0
			model := &scripted.Model{Answer: func(r backends.Request) string {
				asked++
				if r.Think == nil || *r.Think {
					t.Errorf("%s: think %v", r.ID, r.Think)
				}
				var text strings.Builder
				for _, turn := range r.Turns {
					text.WriteString("<" + turn.Role + ">" + turn.Content)
				}
				if served && text.String()+"<answer>" != r.Prompt || !served && r.Turns != nil {
					t.Errorf("%s: the turns are %q, the prompt %q", r.ID, text.String(), r.Prompt)
				}
				return "The answer is (A)."
			}}
			run := filepath.Join(t.TempDir(), "run")
			if err := ask(t, plan, model, run, func(*journal.Record) {}); err != nil {
				t.Fatal(err)
			}
			if kept := load(t, run); asked != 14 || len(kept.Records) != 14 || kept.Header.Think != "off" {
				t.Errorf("%d asked, %d kept, think %q", asked, len(kept.Records), kept.Header.Think)
			}
		})
	}
}
