package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/servers"
)

// What services and engines say, as their documentation, sources and threads of issues have it, and what follows for
// the run: the request waits and loses no try, it is sent again and loses one, the item fails and the run goes on, the
// server gets no more, or the refusal counts as an answer, so that the run is complete.
func TestWhatServersRefuseWith(t *testing.T) {
	text, err := os.ReadFile("testdata/refusals.jsonl")
	assert.NilError(t, err)
	for line := range strings.Lines(string(text)) {
		var row struct {
			Server, Effect, Says string
			Status               int
			RetryAfter           string  `json:"retry_after"`
			Pause                float64 `json:"pause_seconds"`
			Cause                backends.Cause
			Body                 json.RawMessage
		}
		assert.NilError(t, json.Unmarshal([]byte(line), &row))
		t.Run(row.Server, func(t *testing.T) {
			f := newFake(func(w http.ResponseWriter, _ map[string]any) {
				if row.RetryAfter != "" {
					w.Header().Set("Retry-After", row.RetryAfter)
				}
				w.WriteHeader(row.Status)
				var page string
				if json.Unmarshal(row.Body, &page) == nil { // for browsers
					row.Body = []byte(page)
				}
				w.Write(row.Body)
			})
			m := at(t, Options{ClientOptions: servers.ClientOptions{Tries: 1, Patience: time.Millisecond}}, f)
			r := &servers.Request{Run: m.Run(), Request: question}
			refusal, _ := errors.AsType[*servers.Refusal](m.all[0].Generate(t.Context(), r, servers.NewAnswer(r)))
			assert.Assert(t, refusal != nil)
			e, effect := refusal.Means(time.Now()), "tries again"
			switch {
			case e.Busy:
				effect = "waits"
			case e.Lasts():
				effect = "the server ends"
			case e.Cause == backends.CauseRefused:
				effect = "counts"
			case e.Final:
				effect = "the item ends"
			}
			assert.Check(t, is.Equal(e.Cause, row.Cause))
			assert.Check(t, is.Equal(effect, row.Effect))
			assert.Check(t, is.Equal(e.Pause.Seconds(), row.Pause))
			said := e.Text
			if !e.Busy {
				c := one(t, m, question)
				assert.Check(t, c.Cause == row.Cause && (c.Finish != backends.FinishError) == (effect == "counts"), "%+v", c)
				said = c.Error + c.Text
			}
			assert.Check(t, strings.Contains(said, "/v1/completions") && strings.Contains(said, row.Says), said)
		})
	}
}
