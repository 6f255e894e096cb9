package openai

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// once asks a server once.
var once = servers.ClientOptions{Tries: 1}

// delta is an event of a conversation; end is its finish_reason, or empty.
func delta(fields, end string) string {
	reason := "null"
	if end != "" {
		reason = `"` + end + `"`
	}
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`, fields, reason)
}

// An outcome is how an answer ends, with the text of its completion, or of its error.
type outcome struct {
	answer func(http.ResponseWriter, map[string]any)
	finish backends.Finish
	cause  backends.Cause
	text   string
}

// ends has each answer come to a request.
func ends(t *testing.T, r backends.Request, all map[string]outcome) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			got := one(t, at(t, Options{Key: "sk-secret-key", ClientOptions: once}, newFake(c.answer)), r)
			checkEnd(t, got, c.finish, c.cause, c.text)
			assert.Check(t, got.Text == c.text || c.finish == backends.FinishError, "%q", got.Text)
		})
	}
}

func TestEveryEndingIsNamed(t *testing.T) {
	const content = `"content":"The answer is (A)."`
	usage := func(written int) string {
		return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, written)
	}
	ends(t, backends.Request{Messages: conversation, MaxTokens: 50}, map[string]outcome{
		"stop":                {saying(delta(content, "stop")), backends.FinishStop, "", "The answer is (A)."},
		"another word for it": {saying(delta(content, "eos_token")), backends.FinishStop, "", "The answer is (A)."},
		"length": {saying(delta(content, "length")), backends.FinishLength, backends.CauseLength,
			"The answer is (A)."},
		"abort": {saying(delta(content, "abort")), backends.FinishError, backends.CauseEngine,
			`ended the answer with "abort"`},
		"error": {saying(delta(content, "error")), backends.FinishError, backends.CauseEngine,
			`ended the answer with "error"`},
		"no word": {saying(delta(content, "sk-secret-key")), backends.FinishError, backends.CauseEngine,
			`ended the answer with "[secret]"`},
		"a filter": {saying(delta(content, "content_filter")), backends.FinishStop, backends.CauseRefused,
			"The answer is (A)."},
		"a refusal": {saying(delta(`"refusal":"I can't "`, ""), delta(`"refusal":"help."`, "stop")),
			backends.FinishStop, backends.CauseRefused, "I can't help."},
		"a tool": {saying(delta(`"content":null,"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{}"}}]`,
			"tool_calls")), backends.FinishStop, backends.CauseTool, ""},
		"null": {saying(delta(`"content":null`, "stop")), backends.FinishError, backends.CauseEngine,
			"its content is null"},
		"null of tokens": {saying(delta(`"content":null`, "stop"), usage(37)), backends.FinishError, backends.CauseEngine,
			"wrote 37 tokens"},
		"nothing to say":    {saying(delta(`"content":""`, ""), delta("", "stop"), usage(1)), backends.FinishStop, "", ""},
		"null of one token": {saying(delta(`"content":null`, ""), delta("", "stop"), usage(1)), backends.FinishStop, "", ""},
		"parts": {saying(
			delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"so"}]}]`, ""),
			delta(`"content":[{"type":"text","text":"The answer "},{"type":"text","text":"is (A)."}]`, "stop"),
		), backends.FinishStop, "", "<think>so</think>The answer is (A)."},
		"an error of null": {saying(`{"error":null,"choices":[{"index":0,"text":null,"delta":{"content":"Yes."},"finish_reason":"stop"}]}`),
			backends.FinishStop, "", "Yes."},
		"an error beside a choice": {saying(delta(content, ""),
			`{"error":{"code":502,"message":"Upstream idle timeout"},"choices":[{"index":0,`+
				`"delta":{"content":""},"finish_reason":"error"}]}`), backends.FinishError, backends.CauseEngine,
			"Upstream idle timeout"},
		"an error in a choice": {saying(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop",` +
			`"error":{"message":"overheated"}}]}`),
			backends.FinishError, backends.CauseEngine, "overheated"},
		"two choices": {saying(
			`{"choices":[{"index":1,"delta":{"content":"No."},"finish_reason":"length"},{"index":0,"delta":{"content":"Yes."},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{"content":" No."},"finish_reason":null}]}`,
		), backends.FinishStop, "", "Yes."},
	})
}

// Each of these is a raw completion, with a stop string of its own.
func TestEveryEndingOfARawAnswer(t *testing.T) {
	const fell = "the GPU fell off the bus"
	r := question
	r.Stop = []string{"END"}
	ends(t, r, map[string]outcome{
		"a stop string alone": {
			saying(`{"choices":[{"index":0,"text":"","finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`),
			backends.FinishStop, "", "",
		},
		"null": {
			saying(`{"choices":[{"index":0,"text":null,"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`),
			backends.FinishError, backends.CauseEngine, "wrote 2 tokens",
		},
		"no empty line behind the last event": {
			said(`data: {"choices":[{"index":0,"text":" yes","finish_reason":"stop"}]}`), backends.FinishStop, "", " yes",
		},
		"events with all that the format has": {
			said(": ping\r\nevent: message\r\nid: 1\r\ndata: {\"choices\":[{\"index\":0,\r\ndata: \"text\":\" yes\",\"finish_reason\":null}]}\r\n\r\n" +
				"data:{\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n"),
			backends.FinishStop, "", " yes",
		},
		"no stream":        {said(`{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}]}`), backends.FinishStop, "", " yes"},
		"an error in JSON": {said(`{"error":{"message":"` + fell + `","type":"server_error"}}`), backends.FinishError, backends.CauseEngine, fell},
		"an error's text":  {said(`{"error":"` + fell + `"}`), backends.FinishError, backends.CauseEngine, fell},
		"an error's event": {said(`data: {"error":{"message":"` + fell + `"}}` + "\n\n"), backends.FinishError, backends.CauseEngine, fell},
		"refused": {
			func(w http.ResponseWriter, _ map[string]any) { refuse(w, 400, "the request exceeds\nthe context") },
			backends.FinishError, backends.CauseEngine, "status 400 at /v1/completions: the request exceeds the context",
		},
		"thought until the cap": { // in OpenAI's words
			func(w http.ResponseWriter, _ map[string]any) {
				refuse(w, 400, "Could not finish the message because max_tokens or model output limit was reached. "+
					"Please try again with higher max_tokens.")
			},
			backends.FinishLength, backends.CauseLength, "",
		},
		"late": {
			func(w http.ResponseWriter, _ map[string]any) { w.WriteHeader(http.StatusGatewayTimeout) },
			backends.FinishError, backends.CauseTimeout, "status 504 at /v1/completions: Gateway Timeout",
		},
		"cut off": {
			saying(`{"choices":[{"index":0,"text":"The","finish_reason":null}]}`),
			backends.FinishError, backends.CauseConnection, "the answer ended before it was done",
		},
		"nothing but the end": {saying(), backends.FinishError, backends.CauseEngine, "status 200, but no answer: its events have no text"},
		"broken": {
			saying(`{"choices":[{"index":0,"text":"The","finish_reason":null}]}`, `{"choices":`),
			backends.FinishError, backends.CauseConnection, "unexpected end of JSON",
		},
	})
}

// said sends a text as it is.
func said(text string) func(http.ResponseWriter, map[string]any) {
	return func(w http.ResponseWriter, _ map[string]any) { io.WriteString(w, text) }
}

func TestALoopIsEndedHere(t *testing.T) {
	most := make(chan int, 1)
	m := at(t, Options{}, newFake(func(w http.ResponseWriter, _ map[string]any) {
		pieces := <-most
		for n := range pieces {
			if _, broken := fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":%q}]}\n\n", []string{" It is", " (C), as before."}[n%2]); broken != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
		events(w, `{"choices":[{"index":0,"text":"","finish_reason":"length"}]}`)
	}))
	most <- math.MaxInt // until the request is broken off
	c := one(t, m, backends.Request{Prompt: "Question", MaxTokens: 4000, EndLoops: true})
	checkEnd(t, c, backends.FinishLength, backends.CauseLoop, "as before.")
	assert.Check(t, len(c.Text) >= 400 && len(c.Text) <= 4000, "%d bytes", len(c.Text))
	most <- 1000
	c = one(t, m, backends.Request{Prompt: "Question", MaxTokens: 1000})
	assert.Check(t, c.Cause == backends.CauseLength && c.Usage.OutputTokens == 0,
		"not asked to end loops, by a server that counts no tokens: %+v", c)
}

// A server echoes the key at each place near which texts are cut.
func TestNoPartOfAKeyIsInAnError(t *testing.T) {
	const key = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
	words := ""
	f := newFake(func(w http.ResponseWriter, _ map[string]any) { refuse(w, 400, words) })
	m := at(t, Options{Key: key}, f)
	delete(f.said, "/v1/models")
	for at := 240; at < 320; at += 3 {
		words = strings.Repeat("x", at) + " " + key
		f.lacking = words
		c := one(t, m, question)
		_, listed := m.all[0].Facts(t.Context(), nil)
		assert.Assert(t, listed != nil && c.Error != "" && !strings.Contains(c.Error+listed.Error(), "sk-"),
			"%q or %q has a part of the key", c.Error, listed)
	}
}

// Several requests at a time are refused for a parameter, once all of them were sent.
func TestAParameterThatIsRefusedLateCostsNoItem(t *testing.T) {
	const together = 8
	var requests atomic.Int32
	var all sync.WaitGroup
	all.Add(together)
	f := newFake(func(w http.ResponseWriter, body map[string]any) {
		if requests.Add(1) <= together {
			all.Done()
			all.Wait()
		}
		if body["seed"] != nil {
			refuse(w, 400, "Unrecognized request argument supplied: seed")
			return
		}
		yes(w, body)
	})
	m := at(t, Options{Settings: backends.Settings{Concurrency: together}}, f)
	for id, c := range backendtest.Answers(t, m, serverstest.Items(together), nil) {
		assert.Check(t, c.Tries == 1 && c.Text == " yes", "%s: %+v", id, c)
	}
}

// These servers keep to no cap.
func TestWhatAServerMaySendIsBounded(t *testing.T) {
	forEver := func(line string) func(http.ResponseWriter, map[string]any) {
		return func(w http.ResponseWriter, _ map[string]any) {
			for broken := error(nil); broken == nil; {
				_, broken = io.WriteString(w, line)
			}
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, map[string]any){
		"text":         forEver(`data: {"choices":[{"index":0,"text":" yes"}]}` + "\n\n"),
		"thinking":     forEver(`data: {"choices":[{"index":0,"delta":{"reasoning":"so"}}]}` + "\n\n"),
		"long pieces":  forEver(`data: {"choices":[{"index":0,"text":"` + strings.Repeat("y ", 100_000) + `"}]}` + "\n\n"),
		"empty pieces": forEver(`data: {"choices":[]}` + "\n\n"),
		"comments":     forEver(": still here\n"),
		"a long line":  forEver("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
		"too many tokens": saying(
			`{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5000}}`),
	} {
		t.Run(name, func(t *testing.T) {
			r := question
			if name == "thinking" {
				r.Prompt, r.Messages = "", conversation
			}
			c := one(t, at(t, Options{}, newFake(answer)), r)
			checkEnd(t, c, backends.FinishError, backends.CauseEngine, "does not keep to max_tokens")
			assert.Equal(t, c.Tries, 1)
		})
	}
}
