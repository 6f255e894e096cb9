package serverstest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"gotest.tools/v3/assert"
)

// ask posts a request that a double does not refuse.
func ask(t *testing.T, d *Double, endpoint string, fields map[string]any) (status int, kind, text string) {
	t.Helper()
	body := map[string]any{"model": d.Model(), "stream": true, "stream_options": map[string]any{"include_usage": true}, "max_completion_tokens": 5}
	maps.Copy(body, fields)
	sent, err := json.Marshal(body)
	assert.NilError(t, err)
	answer, err := http.Post(d.server.URL+d.base+endpoint, "application/json", bytes.NewReader(sent))
	assert.NilError(t, err)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	assert.NilError(t, err)
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(all)
}

// checkEvents demands an object in each event.
func checkEvents(t *testing.T, text string) {
	t.Helper()
	assert.Check(t, strings.HasSuffix(text, "\n\n") || strings.HasSuffix(text, "\r\n\r\n"), "%q has a last event without an end", text)
	for line := range strings.Lines(text) {
		data, is := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if data = strings.TrimSpace(data); is && data != "[DONE]" {
			assert.Check(t, json.Valid([]byte(data)), "%q is no JSON", data)
		}
	}
}

func TestADoubleSaysItsScenes(t *testing.T) {
	for _, kind := range Doubles() {
		t.Run(kind, func(t *testing.T) {
			d := NewDouble(t, kind)
			assert.Check(t, d.Model() != "")
			assert.Check(t, slices.Contains(d.Scenes(), "plain"))
			for _, scene := range d.Scenes() {
				for prefix, endpoint := range map[string]string{"chat: ": "/chat/completions", "text: ": "/completions", "": "/chat/completions"} {
					if _, has := d.sections[prefix+scene]; !has {
						continue
					}
					d.Say(scene)
					status, kind, text := ask(t, d, endpoint, nil)
					assert.Equal(t, status != http.StatusOK, strings.HasPrefix(d.sections[prefix+scene], "status "), "%s: %s", scene, text)
					if strings.HasPrefix(kind, "text/event-stream") {
						checkEvents(t, text)
					}
					assert.Check(t, !strings.Contains(text, "<no value>"), "%s: %s", scene, text)
				}
			}
		})
	}
}

// What refuses a field names it; xAI in its own spelling.
func TestADoubleRefusesFields(t *testing.T) {
	for _, kind := range Doubles() {
		d := NewDouble(t, kind)
		for line := range strings.Lines(d.sections["refuses"]) {
			condition, _, _ := strings.Cut(line, "\t")
			field, _, _ := strings.Cut(condition, "!=")
			status, _, text := ask(t, d, "/chat/completions", map[string]any{field: 0.5})
			assert.Check(t, status >= 400, "%s: %s: %d", kind, condition, status)
			named := strings.Contains(strings.ToLower(text), strings.ReplaceAll(field, "_", "")) || strings.Contains(text, field)
			assert.Check(t, json.Valid([]byte(text)) && named, "%s: %s: %s", kind, condition, text)
		}
	}
	d := NewDouble(t, "openai")
	for value, want := range map[float64]int{1: 200, 0: 400} {
		status, _, _ := ask(t, d, "/chat/completions", map[string]any{"temperature": value})
		assert.Equal(t, status, want)
	}
	assert.Equal(t, len(d.Requests()), 2)
}

// A double is as good as its sources.
func TestADoubleNamesItsSources(t *testing.T) {
	for _, kind := range Doubles() {
		text, err := files.ReadFile("doubles/" + kind + ".txtar")
		assert.NilError(t, err)
		archive := txtar.Parse(text)
		for _, word := range []string{"Sources: ", "Not established"} {
			assert.Check(t, strings.Contains(string(archive.Comment), word), "%s: its comment has no %q", kind, word)
		}
		names := map[string]bool{}
		for _, f := range archive.Files {
			assert.Check(t, !names[f.Name], "%s: %s stands there twice", kind, f.Name)
			names[f.Name] = true
		}
	}
}
