package openai

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// greedy and drawn are the ways to sample that a run may ask for.
var (
	greedy = backends.Sampling{TopP: 1, Seed: 5}
	drawn  = backends.Sampling{Temperature: 0.7, TopP: 0.9, TopK: 40, MinP: 0.05, RepeatPenalty: 1.1, Seed: 5}
)

// double starts the double of a kind and opens its model, which answers conversations.
func double(t *testing.T, kind string) (*serverstest.Double, *Model) {
	t.Helper()
	d := serverstest.NewDouble(t, kind)
	m := opened(t, Options{
		Settings: backends.Settings{Model: "openai:" + d.Model(), Servers: []string{d.URL()}, Concurrency: 1,
			Timeout: 10 * time.Second},
		Key: "sk-proctor-test", ClientOptions: servers.ClientOptions{Tries: 1},
	})
	m.Run().Conversed = true
	return d, m
}

// What each kind gets of a way to sample, how its notes tell what it does not take, and what stands in the journal.
func TestEachKindGetsTheFieldsThatItTakes(t *testing.T) {
	type fields = map[string]any
	llama := fields{"temperature": 0.7, "top_p": 0.9, "top_k": 40.0, "min_p": 0.05, "repeat_penalty": 1.1, "max_tokens": 2000.0, "seed": 5.0}
	hub := maps.Clone(llama)
	hub["repetition_penalty"] = 1.1
	delete(hub, "repeat_penalty")
	plain := fields{"temperature": 0.7, "top_p": 0.9, "max_tokens": 2000.0, "seed": 5.0}
	for kind, want := range map[string]struct {
		name  string
		drawn fields
		whole bool   // it gets what a greedy run leaves open, too
		note  string // of what it does not take
	}{
		"llama-server": {"llama-server", llama, true, ""},
		"ik_llama":     {"llama-server", llama, true, ""},
		"router":       {"llama.cpp's router", llama, true, ""},
		"vllm":         {"vLLM", hub, true, ""},
		"sglang":       {"SGLang", hub, true, ""},
		"lmstudio":     {"LM Studio", llama, true, ""},
		"litellm": {"", fields{
			"top_p": 0.9, "top_k": 40.0, "min_p": 0.05, "repeat_penalty": 1.1, "max_tokens": 2000.0, "seed": 5.0,
		}, false, "takes no temperature:"},
		"xai": {"xAI", plain, false, "takes no top_k, min_p, repeat_penalty:"},
		"gemini": {"Gemini", fields{"temperature": 0.7, "top_p": 0.9, "max_tokens": 2000.0}, false,
			"takes no seed, top_k, min_p, repeat_penalty:"},
		"openai": {"OpenAI", fields{"max_completion_tokens": 2000.0, "seed": 5.0}, false,
			"takes no temperature, top_k, min_p, repeat_penalty:"},
	} {
		t.Run(kind, func(t *testing.T) {
			d, m := double(t, kind)
			drawn := drawn
			if kind == "openai" { // it takes no top_p either
				drawn.TopP = 1
			}
			_, err := m.Plan(t.Context(), backends.Workload{MaxTokens: 2000, Sampling: drawn})
			assert.NilError(t, err)
			assert.Equal(t, m.Slotted(), slices.Contains([]string{"llama-server", "ik_llama", "router"}, kind))
			before := len(d.Requests())
			c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 2000, Sampling: drawn})
			checkEnd(t, c, backends.FinishStop, "", "The answer is (A).")
			requests := d.Requests()[before:]
			assert.Equal(t, len(requests), 1, "what is refused is known from the plan: %v", requests)
			got := requests[0]
			for _, known := range []string{"model", "messages", "stream", "stream_options"} {
				delete(got, known)
			}
			for _, none := range []string{"presence_penalty", "frequency_penalty"} { // of the protocol
				if got[none] == 0.0 {
					delete(got, none)
				}
			}
			assert.Check(t, is.DeepEqual(got, want.drawn))

			info, err := m.Info(t.Context())
			assert.NilError(t, err)
			assert.Check(t, strings.HasPrefix(info.Engine.Version, want.name), info.Engine.Version)
			notes := strings.Join(info.Notes, " ")
			assert.Check(t, strings.Contains(notes, want.note) && strings.Contains(notes, "they are left out") == (want.note != ""), notes)
			assert.Equal(t, len(info.Engine.Requests), 1)
			assert.Check(t, strings.Contains(string(info.Engine.Requests[0]), `"temperature":0.7`) == (want.drawn["temperature"] != nil),
				"%s", info.Engine.Requests)

			_, err = m.Plan(t.Context(), backends.Workload{MaxTokens: 2000, Sampling: greedy})
			assert.NilError(t, err)
			one(t, m, backends.Request{Messages: conversation, MaxTokens: 2000, Sampling: greedy})
			_, sent := d.Requests()[len(d.Requests())-1]["min_p"]
			assert.Equal(t, sent, want.whole)
		})
	}
}

// Each scene of each double comes to the ending, the cause and the tokens that it is named after.
func TestEachKindsAnswersAreUnderstood(t *testing.T) {
	for _, kind := range serverstest.Doubles() {
		d, m := double(t, kind)
		for _, scene := range d.Scenes() {
			t.Run(kind+"/"+scene, func(t *testing.T) {
				d.Say(scene)
				if strings.HasPrefix(scene, "error: busy") { // no item's fault, nor a lasting one: it is asked again
					r := &servers.Request{Run: m.Run(), Request: backends.Request{Messages: conversation, MaxTokens: 2000}}
					refusal, has := errors.AsType[*servers.Refusal](m.all[0].Generate(t.Context(), r, servers.NewAnswer(r)))
					assert.Assert(t, has)
					busy := refusal.Means(time.Now())
					assert.Check(t, busy.Busy, "%+v", busy)
					return
				}
				c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 2000})
				cause, _, _ := strings.Cut(strings.TrimPrefix(scene, "error: "), " ")
				switch scene {
				case "plain", "drafted", "reasoned", "whole", "pinged":
					checkEnd(t, c, backends.FinishStop, "", "The answer is (A).")
					assert.Check(t, is.Equal(c.Usage.ReusedTokens, map[string]int{"xai": 11}[kind]))
					assert.Check(t, (c.Usage.ThinkingTokens > 0 || strings.Contains(c.Text, "<think>")) == (scene == "reasoned" || scene == "whole"), "%+v", c)
				case "capped", "hidden cap":
					checkEnd(t, c, backends.FinishLength, backends.CauseLength, "")
					assert.Check(t, c.Usage.OutputTokens == 2000 || kind == "lmstudio" && c.Usage.OutputTokens == 1999, "%+v", c.Usage)
				case "stopped": // by a stop string, which a raw prompt alone has
					m.Run().Conversed = false
					c = one(t, m, backends.Request{Prompt: "Question", MaxTokens: 2000, Stop: []string{"Question:"}})
					checkEnd(t, c, backends.FinishStop, "", "The answer is (A).")
					assert.Equal(t, c.Stop, "Question:")
					m.Run().Conversed = true
				case "reasoning stopped":
					checkEnd(t, c, backends.FinishStop, "", "<think>Let me think. The answer is (A).")
				default:
					of := map[string]struct {
						backends.Cause
						words string
					}{
						"auth": {backends.CauseAuth, "OPENAI_API_KEY"}, "quota": {backends.CauseQuota, "raise the quota"}, "gone": {backends.CauseGone, ""},
						"context": {backends.CauseTruncated, ""}, "full": {backends.CauseTruncated, ""},
					}[cause]
					checkEnd(t, c, backends.FinishError, cmp.Or(of.Cause, backends.CauseEngine), of.words)
				}
			})
		}
	}
}

// ik_llama.cpp says "stop" of every answer. A stop string that ends one just at its cap is known by what the tokenizer says.
func TestACapIsSeenBesideStopStrings(t *testing.T) {
	d, m := double(t, "ik_llama")
	m.Run().Conversed = false
	d.Say("capped")
	c := one(t, m, backends.Request{Prompt: "Question", MaxTokens: 2000, Stop: []string{"Question:"}})
	checkEnd(t, c, backends.FinishLength, backends.CauseLength, " The answer")
	c = one(t, m, backends.Request{Prompt: "Question", MaxTokens: 4, Stop: []string{" Question: 2"}})
	checkEnd(t, c, backends.FinishStop, "", " The answer")
	assert.Equal(t, c.Stop, " Question: 2")
}

func TestTheWordsOfEveryError(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"message":"no","param":"seed","code":null}}`: {"no", "seed"},
		`{"error":"no"}`:                            {"no", ""},
		`{"code":"invalid","error":"no"}`:           {"no", ""},
		`{"object":"error","message":"no"}`:         {"no", ""},
		`{"detail":"no"}`:                           {"no", ""},
		`[{"error":{"code":400,"message":"no"}}]`:   {"no", ""},
		`{"error":{"message":{"detail":"no"}}}`:     {"no", ""},
		`{"error":null,"message":"no"}`:             {"no", ""},
		`{"error":{"message":"no","param":"None"}}`: {"no", ""},
		`{"error":{"message":"no","metadata":[1]}}`: {"no", ""},
		`{"detail":[{"type":"less_than","loc":["body","temperature"],"msg":"at most 1"},{"loc":["body","seed"],"msg":"x"}]}`: {
			"temperature: at most 1", "temperature"},
		"upstream is gone\n":              {"upstream is gone", ""},
		"<html><title>502</title></html>": {}, "": {}, "null": {}, "{}": {}, "17": {}, `{"error":null}`: {},
	} {
		r := complaintIn([]byte(body))
		assert.Check(t, is.Equal([2]string{r.Words, r.Field}, want), "%s", body)
	}
}

// An event has its status in the error, as a number or a text.
func TestTheStatusOfAnEvent(t *testing.T) {
	for body, want := range map[string]int{
		`{"error":{"message":"no","code":400}}`: 400, `{"error":{"message":"no","code":"503"}}`: 503,
		`{"error":{"message":"no","code":"invalid"}}`: 0,
		`{"error":{"message":"no","code":7}}`:         0, `{"object":"error","message":"no","code":429}`: 429,
	} {
		assert.Check(t, is.Equal(complaintIn([]byte(body)).Code, want), body)
	}
}

// A key that is refused in the middle of a run is a server that is lost: its items wait, and one that takes the key again gets them.
func TestAKeyThatIsRefusedInARunIsALostServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusing := atomic.Bool{}
		f := newFake(func(w http.ResponseWriter, body map[string]any) {
			if refusing.Load() {
				refuse(w, 401, "Invalid API Key")
				return
			}
			yes(w, body)
		})
		m := at(t, Options{Settings: backends.Settings{Concurrency: 1},
			ClientOptions: servers.ClientOptions{Patience: time.Minute}}, f)
		_, err := m.Plan(t.Context(), backends.Workload{MaxTokens: 8})
		assert.NilError(t, err)
		all := backendtest.Answers(t, m, serverstest.Items(20), backendtest.After(5, func() {
			refusing.Store(true)
			time.AfterFunc(30*time.Second, func() { refusing.Store(false) })
		}))
		for id, c := range all {
			assert.Check(t, c.Text == " yes" && c.Tries <= 2, "%s: %+v", id, c)
		}
		before := len(f.bodies)
		refuses := backendtest.After(5, func() { refusing.Store(true) })
		for _, c := range backendtest.Answers(t, m, serverstest.Items(20), refuses) {
			assert.Check(t, c.Text == " yes" || c.Cause == backends.CauseAuth, "%+v", c)
		}
		assert.Check(t, len(f.bodies)-before < 60, "%d requests with a refused key", len(f.bodies)-before)
	})
}

// A server that refuses the first request for a reason that lasts is not asked a second time.
func TestALastingRefusalEndsTheRunAtItsFirstRequest(t *testing.T) {
	for _, kind := range serverstest.Doubles() {
		for _, scene := range []string{"error: auth", "error: quota", "error: gone"} {
			d, m := double(t, kind)
			if !slices.Contains(d.Scenes(), scene) {
				continue
			}
			_, err := m.Plan(t.Context(), backends.Workload{MaxTokens: 2000}) // what it refuses for other reasons is known then
			assert.NilError(t, err)
			d.Say(scene)
			before := len(d.Requests())
			_, err = m.Plan(t.Context(), backends.Workload{Requests: 600, MaxTokens: 2000})
			refused, has := errors.AsType[*servers.Error](err)
			assert.Check(t, has && refused.Lasts(), "%s, %s: %v", kind, scene, err)
			assert.Check(t, is.Equal(len(d.Requests())-before, 1), "%s, %s", kind, scene)
			if scene == "error: gone" {
				assert.Check(t, strings.Contains(err.Error(), "it lists "+d.Model()), "%v", err)
			}
		}
	}
}
