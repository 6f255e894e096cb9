package openai

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"proctor/backends"
	"proctor/backends/servers"
)

// chatted asks for a conversation's next turn of a server that sends these events.
func chatted(t *testing.T, o Options, maxTokens int, lines ...string) (backends.Completion, error) {
	t.Helper()
	s := protocol(t, func(w http.ResponseWriter, _ *http.Request) { events(w, lines...) })
	var only backends.Completion
	o.Tries = 1
	err := at(t, o, s).Generate(t.Context(), func(yield func(backends.Request) bool) {
		yield(backends.Request{ID: "1", Messages: []backends.Message{{Role: "user", Content: "Which?"}}, MaxTokens: maxTokens})
	}, func(c backends.Completion) error { only = c; return nil })
	return only, err
}

// delta is an event of a conversation; end is its finish_reason, or empty.
func delta(fields, end string) string {
	reason := "null"
	if end != "" {
		reason = `"` + end + `"`
	}
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`, fields, reason)
}

func TestEveryEndingIsNamed(t *testing.T) {
	const content = `"content":"The answer is (A)."`
	usage := func(written int) string {
		return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, written)
	}
	for name, c := range map[string]struct {
		events []string
		finish backends.Finish
		cause  backends.Cause
		text   string // of the completion, or of its error
	}{
		"stop":                {[]string{delta(content, "stop")}, backends.FinishStop, "", "The answer is (A)."},
		"another word for it": {[]string{delta(content, "eos_token")}, backends.FinishStop, "", "The answer is (A)."},
		"length":              {[]string{delta(content, "length")}, backends.FinishLength, backends.CauseLength, "The answer is (A)."},
		"abort":               {[]string{delta(content, "abort")}, backends.FinishError, backends.CauseEngine, `finish_reason "abort"`},
		"error":               {[]string{delta(content, "error")}, backends.FinishError, backends.CauseEngine, `finish_reason "error"`},
		"no word":             {[]string{delta(content, "sk-secret-key")}, backends.FinishError, backends.CauseEngine, `finish_reason "[secret]"`},
		"a filter":            {[]string{delta(content, "content_filter")}, backends.FinishStop, backends.CauseRefused, "The answer is (A)."},
		"a refusal": {[]string{delta(`"refusal":"I can't "`, ""), delta(`"refusal":"help."`, "stop")},
			backends.FinishStop, backends.CauseRefused, "I can't help."},
		"a tool": {[]string{delta(`"content":null,"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{}"}}]`, "tool_calls")},
			backends.FinishStop, backends.CauseTool, ""},
		"null":              {[]string{delta(`"content":null`, "stop")}, backends.FinishError, backends.CauseEngine, "its content is null"},
		"null of tokens":    {[]string{delta(`"content":null`, "stop"), usage(37)}, backends.FinishError, backends.CauseEngine, "wrote 37 tokens"},
		"nothing to say":    {[]string{delta(`"content":""`, ""), delta("", "stop"), usage(1)}, backends.FinishStop, "", ""},
		"null of one token": {[]string{delta(`"content":null`, ""), delta("", "stop"), usage(1)}, backends.FinishStop, "", ""},
		"parts": {[]string{
			delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"so"}]}]`, ""),
			delta(`"content":[{"type":"text","text":"The answer "},{"type":"text","text":"is (A)."}]`, "stop"),
		}, backends.FinishStop, "", "<think>so</think>The answer is (A)."},
		"two choices": {[]string{
			`{"choices":[{"index":1,"delta":{"content":"No."},"finish_reason":"length"},{"index":0,"delta":{"content":"Yes."},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{"content":" No."},"finish_reason":null}]}`,
		}, backends.FinishStop, "", "Yes."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := chatted(t, Options{Key: "sk-secret-key"}, 50, c.events...)
			if err != nil {
				t.Fatal(err)
			}
			if got.Finish != c.finish || got.Cause != c.cause || c.finish != backends.FinishError && got.Text != c.text ||
				c.finish == backends.FinishError && (got.Text != "" || !strings.Contains(got.Error, c.text)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestALoopIsEndedHere(t *testing.T) {
	most := make(chan int, 1)
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		pieces := <-most
		for n := 0; n < pieces && r.Context().Err() == nil; n++ {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":%q}]}\n\n", []string{" It is", " (C), as before."}[n%2])
			w.(http.Flusher).Flush()
		}
		events(w, `{"choices":[{"index":0,"text":"","finish_reason":"length"}]}`)
	})
	m := at(t, Options{}, s)
	most <- math.MaxInt // until the request is broken off
	c := one(t, m, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 4000, EndLoops: true})
	if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || len(c.Text) < 400 || len(c.Text) > 4000 {
		t.Errorf("%+v", c)
	}
	most <- 1000
	c = one(t, m, backends.Request{ID: "2", Prompt: "Question", MaxTokens: 1000})
	if c.Cause != backends.CauseLength || c.Usage.OutputTokens != 0 {
		t.Errorf("not asked to end loops, by a server that counts no tokens: %+v", c)
	}
}

func TestARawCompletionHasOneChoice(t *testing.T) {
	s := protocol(t, func(w http.ResponseWriter, _ *http.Request) {
		events(w, `{"choices":[{"index":0,"text":" yes","finish_reason":null},{"index":1,"text":" no","finish_reason":null}]}`,
			`{"choices":[{"index":1,"text":" no","finish_reason":"length"},{"index":0,"text":"!","finish_reason":"stop"}]}`)
	})
	if c := one(t, at(t, Options{}, s), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8}); c.Text != " yes!" ||
		c.Finish != backends.FinishStop {
		t.Errorf("%+v", c)
	}
}

func TestAStopStringMayBeAllThatWasWritten(t *testing.T) {
	for text, finish := range map[string]backends.Finish{`""`: backends.FinishStop, `null`: backends.FinishError} {
		s := protocol(t, func(w http.ResponseWriter, _ *http.Request) {
			events(w, `{"choices":[{"index":0,"text":`+text+`,"finish_reason":"stop"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
		})
		request := backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8, Stop: []string{"Question:"}}
		if c := one(t, at(t, Options{}, s), request); c.Finish != finish || c.Text != "" {
			t.Errorf("text %s: %+v", text, c)
		}
	}
}

// TestWithoutCountsTheContextWasNotFull has a server that tells no usage, and sends several tokens in a piece.
func TestWithoutCountsTheContextWasNotFull(t *testing.T) {
	got, err := chatted(t, Options{}, 100, delta(`"content":"long long long"`, "length"))
	if err != nil || got.Finish != backends.FinishLength || got.Cause != backends.CauseLength {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnErrorWithStatus200IsSaid(t *testing.T) {
	for name, body := range map[string]string{
		"JSON":     `{"error":{"message":"the GPU fell off the bus","type":"server_error"}}`,
		"a text":   `{"error":"the GPU fell off the bus"}`,
		"an event": "data: {\"error\":{\"message\":\"the GPU fell off the bus\"}}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := protocol(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
			c := one(t, at(t, Options{Asking: servers.Asking{Tries: 1}}, s), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8})
			if c.Cause != backends.CauseEngine || !strings.Contains(c.Error, "the GPU fell off the bus") {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestNoPartOfAKeyIsInAnError has a server echo the key at each place near which texts are cut.
func TestNoPartOfAKeyIsInAnError(t *testing.T) {
	const key = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
	for at := 240; at < 320; at += 3 {
		said := strings.Repeat("x", at) + " " + key
		s := protocol(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400, said) })
		m, err := Open(t.Context(), Options{Base: s.URL, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if c := one(t, m, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8}); strings.Contains(c.Error, "sk-") {
			t.Fatalf("%q has a part of the key", c.Error)
		}
		m.Close()
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400, said) })
		if _, err := Open(t.Context(), Options{Base: s.URL, Key: key}); err == nil || strings.Contains(err.Error(), "sk-") {
			t.Fatalf("%q has a part of the key", err)
		}
	}
}

// TestAParameterThatIsRefusedLateCostsNoItem has a server refuse a parameter of several requests at a time.
func TestAParameterThatIsRefusedLateCostsNoItem(t *testing.T) {
	const together = 8
	var asked atomic.Int32
	var all sync.WaitGroup
	all.Add(together)
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if asked.Add(1) <= together { // all were sent before the first is refused
			all.Done()
			all.Wait()
		}
		if strings.Contains(string(body), `"seed"`) {
			refuse(w, 400, "Unrecognized request argument supplied: seed")
			return
		}
		yes(w)
	})
	for id, c := range askAnd(t, at(t, Options{Concurrency: together}, s), items(together), 0, nil) {
		if c.Tries != 1 {
			t.Errorf("%s took %d tries", id, c.Tries)
		}
	}
}

// TestWhatAServerMaySendIsBounded has servers that keep to no cap.
func TestWhatAServerMaySendIsBounded(t *testing.T) {
	forEver := func(line string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		}
	}
	for name, answer := range map[string]http.HandlerFunc{
		"text":         forEver("data: {\"choices\":[{\"index\":0,\"text\":\" yes\"}]}\n\n"),
		"thinking":     forEver("data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"so\"}}]}\n\n"),
		"long pieces":  forEver("data: {\"choices\":[{\"index\":0,\"text\":\"" + strings.Repeat("y ", 100_000) + "\"}]}\n\n"),
		"empty pieces": forEver("data: {\"choices\":[]}\n\n"),
		"comments":     forEver(": still here\n"),
		"a long line":  forEver("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
		"too many tokens": func(w http.ResponseWriter, _ *http.Request) {
			events(w, `{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5000}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8}
			if name == "thinking" {
				r.Prompt, r.Messages = "", []backends.Message{{Role: "user", Content: "Which?"}}
			}
			c := one(t, at(t, Options{}, protocol(t, answer)), r)
			if c.Finish != backends.FinishError || c.Cause != backends.CauseEngine || c.Tries != 1 || c.Text != "" ||
				!strings.Contains(c.Error, "does not keep to max_tokens") {
				t.Errorf("%+v", c)
			}
		})
	}
	s := httptest.NewServer(http.HandlerFunc(forEver(`{"data":[{"id":"`)))
	t.Cleanup(s.Close)
	if _, err := Open(t.Context(), Options{Base: s.URL}); err == nil {
		t.Error("a list of models without an end is read")
	}
}
