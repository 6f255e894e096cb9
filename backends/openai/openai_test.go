package openai

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
	"proctor/scripts/tests/errortest"
)

func TestWhatLlamaServerSaysBeyondTheProtocol(t *testing.T) {
	f := newFake(saying(`{"choices":[{"index":0,"text":"The answer ","finish_reason":null}]}`,
		`{"choices":[{"index":0,"text":"is (B).","finish_reason":null}]}`,
		`{"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":40,"completion_tokens":7,"total_tokens":47},`+
			`"timings":{"prompt_n":15,"prompt_ms":12.5,"predicted_n":7,"predicted_ms":70}}`))
	f.said["/props"] = `{"total_slots":3}`
	t.Setenv("OPENAI_API_KEY", "sk-of-another-server")
	m := at(t, Options{}, f)
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	assert.Equal(t, info.Engine.Slots, 3)
	c := one(t, m, backends.Request{
		Prompt: "Question", MaxTokens: 7, Sampling: backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.9, Seed: 8},
	})
	checkEnd(t, c, backends.FinishLength, backends.CauseLength, "The answer is (B).")
	assert.Equal(t, f.lastKey(), "", "a key that was not given is sent")
	assert.Equal(t, c.Usage, backends.Usage{PromptTokens: 40, ReusedTokens: 25, OutputTokens: 7})
	assert.Equal(t, c.Timing.Prefill, 12500*time.Microsecond)
	assert.Equal(t, c.Timing.Decode, 70*time.Millisecond)
	for key, want := range map[string]any{
		"model": "m", "prompt": "Question", "max_tokens": 7.0, "temperature": 1.0, "top_k": 40.0, "top_p": 0.9, "seed": 8.0,
	} {
		assert.Equal(t, f.last()[key], want, key)
	}

	f.answer, f.bodies = yes, nil
	assert.NilError(t, m.Forget(t.Context()))
	prompts := map[any]bool{}
	for _, body := range f.bodies {
		prompts[body["prompt"]] = true
	}
	assert.Equal(t, len(prompts), 3) // one for each slot
}

// A server puts its first token before every prompt, also before one to which a chat template has written it.
func TestAPromptHasBOSOnce(t *testing.T) {
	for begins, want := range map[string]string{"<s>": "Question", "": "<s>Question"} {
		f := newFake(yes)
		f.said["/props"] = `{"total_slots":1}`
		f.replies = map[string]func(map[string]any) any{
			"/detokenize": func(map[string]any) any { return map[string]string{"content": begins} },
			"/tokenize": func(body map[string]any) any {
				return map[string]any{"tokens": append([]int{1}, make([]int, len(body["content"].(string)))...)}
			},
		}
		m := at(t, Options{}, f)
		one(t, m, backends.Request{Prompt: "<s>Question", MaxTokens: 8})
		assert.Equal(t, f.last()["prompt"], want)
		ids, err := m.Tokenize("<s>Question")
		assert.Check(t, err == nil && len(ids) == 1+len(want), "%v, %v", ids, err)
	}
}

// llama-server says "stop" of a stop string and of a token that ends texts; vLLM names the string. Forks, which tell no
// build, say it of answers that their cap ended, too.
func TestWhichStopStringEndedATextIsKnown(t *testing.T) {
	const text, stop = " so it goes", "\n\nQuestion: 2"
	for written, want := range map[int]string{4: "", 5: stop, 9: ""} {
		f := newFake(saying(fmt.Sprintf(`{"choices":[{"index":0,"text":%q,"finish_reason":"stop"}],`+
			`"usage":{"completion_tokens":%d}}`, text, written)))
		f.said["/props"] = `{"total_slots":1}`
		f.replies = map[string]func(map[string]any) any{"/tokenize": func(body map[string]any) any {
			return map[string]any{"tokens": make([]int, len(strings.Fields(body["content"].(string))))}
		}}
		c := one(t, at(t, Options{}, f), backends.Request{Prompt: "Question", Stop: []string{"I hope", stop}, MaxTokens: 20})
		assert.Check(t, c.Stop == want, "of %d tokens: %q, want %q", written, c.Stop, want)
	}
	for build, finish := range map[string]backends.Finish{`"b11434-1"`: backends.FinishStop, `""`: backends.FinishLength} {
		f := newFake(saying(`{"choices":[{"index":0,"text":" so it","finish_reason":"stop"}],` +
			`"usage":{"completion_tokens":8}}`))
		f.said["/props"] = `{"total_slots":1,"build_info":` + build + `}`
		c := one(t, at(t, Options{}, f), backends.Request{Prompt: "Question", Stop: []string{"goes"}, MaxTokens: 8})
		assert.Equal(t, c.Finish, finish, build)
	}
	c := one(t, at(t, Options{}, newFake(saying(`{"choices":[{"index":0,"text":" yes","finish_reason":"stop","stop_reason":"Question:"}]}`))), question)
	assert.Equal(t, c.Stop, "Question:")
}

// llama-server's slots share a context: where they fill it, it ends all their answers.
func TestAFullContextIsNoItemsFault(t *testing.T) {
	const slots = 3
	requests := make(chan struct{}, slots)
	var first sync.WaitGroup
	first.Add(slots)
	f := newFake(func(w http.ResponseWriter, body map[string]any) {
		select {
		case requests <- struct{}{}:
			first.Done()
			first.Wait()
			events(w, `{"choices":[{"index":0,"text":" ye","finish_reason":null}]}`,
				`{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`)
		default:
			yes(w, body)
		}
	})
	for _, c := range backendtest.Answers(t, at(t, Options{Settings: backends.Settings{Concurrency: slots}}, f),
		serverstest.Items(2*slots), nil) {
		checkEnd(t, c, backends.FinishStop, "", " yes")
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, requests := time.Now(), 0
		c := one(t, at(t, Options{}, newFake(func(w http.ResponseWriter, body map[string]any) {
			if requests++; requests == 1 {
				w.Header().Set("Retry-After", "0.4")
				refuse(w, http.StatusTooManyRequests, "slow down")
				return
			}
			yes(w, body)
		})), question)
		checkEnd(t, c, backends.FinishStop, "", " yes")
		assert.Equal(t, c.Tries, 2)
		assert.Equal(t, time.Since(began), 400*time.Millisecond)
	})
}

// What refuses more than one field is not asked a third time.
func TestASecondRefusedFieldIsAnError(t *testing.T) {
	f := newFake(func(w http.ResponseWriter, body map[string]any) {
		for _, field := range []string{"seed", "top_p"} {
			if body[field] != nil {
				refuse(w, 400, "Unrecognized request argument supplied: "+field)
				return
			}
		}
		yes(w, body)
	})
	m, asked := at(t, Options{}, f), question
	asked.Sampling.TopP = 0.9
	for _, requests := range []int{2, 3} { // what was learnt is known
		checkEnd(t, one(t, m, asked), backends.FinishError, backends.CauseEngine,
			"Unrecognized request argument supplied: top_p")
		assert.Equal(t, len(f.bodies), requests)
	}
}

// counting answers with the number of tokens that it says it read of a prompt.
func counting(read func(prompt string) int) *fake {
	return newFake(func(w http.ResponseWriter, body map[string]any) {
		events(w, fmt.Sprintf(`{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2}}`,
			read(body["prompt"].(string))))
	})
}

func TestACutPromptIsDetectedByTheLengthOfOthers(t *testing.T) {
	read := func(text string) int { return min(len(text)/4, 600) }
	conversing := newFake(func(w http.ResponseWriter, body map[string]any) {
		all := body["messages"].([]any)
		if len(all) > 1 {
			refuse(w, 400, "Conversation roles must alternate user/assistant/user/assistant/...")
			return
		}
		tokens := read(all[0].(map[string]any)["content"].(string))
		usage := fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, tokens)
		events(w, delta(`"content":" yes"`, "stop"), usage)
	})
	for name, f := range map[string]*fake{
		"a prompt": counting(read), "a conversation, whose template refuses two turns of one role in a row": conversing,
	} {
		t.Run(name, func(t *testing.T) {
			m := at(t, Options{Settings: backends.Settings{Concurrency: 1}}, f)
			ask := func(words int) backends.Request {
				text := strings.Repeat("word ", words)
				if f == conversing {
					return backends.Request{Messages: []backends.Message{{Role: "user", Content: text}}, MaxTokens: 8}
				}
				return backends.Request{Prompt: text, MaxTokens: 8}
			}
			for i := range 10 {
				checkEnd(t, one(t, m, ask(300+i)), backends.FinishStop, "", " yes")
			}
			c, err := cut(t, m, ask(2000))
			errortest.Says(t, err, "3 of 3 prompts did not fit the server's context")
			checkEnd(t, c, backends.FinishError, backends.CauseTruncated, "the server read 600 tokens of its 10000 bytes")
		})
	}
}

// Replicas may keep one model in folders of their own, or in Hugging Face's cache.
func TestReplicasAreComparedByTheNamesOfTheirModels(t *testing.T) {
	for _, root := range []string{"Qwen/Qwen3-8B", "/data/a/Qwen3-8B/", "/home/b/Qwen3-8B",
		"/home/me/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/b968826d9c46dd6066d109eabc6255188de91218"} {
		assert.Check(t, is.Equal(rootName(root), "Qwen3-8B"), root)
	}
	at := func(root string) *fake {
		f := newFake(yes)
		f.said["/v1/models"] = `{"data":[{"id":"m","owned_by":"vllm","root":"` + root + `"}]}`
		return f
	}
	n := &serverstest.Network{}
	n.Serve(t, "a:80", at("Qwen/Qwen3-8B"))
	n.Serve(t, "b:80", at("Qwen/Qwen3-4B"))
	_, err := Open(t.Context(), Options{Settings: backends.Settings{Servers: []string{"a", "b"}},
		ClientOptions: servers.ClientOptions{Transport: n.Transport()}})
	errortest.Says(t, err, "the servers hold different models: the name of the model is Qwen3-8B at a, and Qwen3-4B at b")
}

// cut asks a request thrice, which ends the run.
func cut(t *testing.T, m *Model, r backends.Request) (only backends.Completion, err error) {
	t.Helper()
	err = m.Generate(t.Context(), slices.Values([]backends.Request{r, r, r}), func(c backends.Completion) error {
		only = c
		return nil
	})
	return only, err
}

// Each digit is a token, as words of six bytes are.
func TestADensePromptIsNotCalledCut(t *testing.T) {
	f := counting(func(prompt string) int {
		digits := strings.Count(prompt, "7")
		return digits + (len(prompt)-digits)/6
	})
	requests := serverstest.Items(13)
	for i := range requests {
		if requests[i].Prompt = strings.Repeat("7", 1000); i >= 10 {
			requests[i].Prompt = strings.Repeat("words ", 2000)
		}
	}
	backendtest.Answers(t, at(t, Options{Settings: backends.Settings{Concurrency: 1}}, f), requests, nil)
	n := len(f.bodies)
	assert.Check(t, n >= 14 && n <= 16, "%d requests for 13 items", n)
}

// A server that reports no usage may send several tokens in a piece.
func TestWithoutCountsTheContextWasNotFull(t *testing.T) {
	m := at(t, Options{}, newFake(saying(delta(`"content":"long long long"`, "length"))))
	checkEnd(t, one(t, m, backends.Request{Messages: conversation, MaxTokens: 100}), backends.FinishLength, backends.CauseLength, "")
}

func TestALateServerWithASmallerContextGetsNoItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		early, late := newFake(yes), newFake(saying(
			`{"choices":[{"index":0,"text":" no","finish_reason":"length"}],"usage":{"prompt_tokens":512,"completion_tokens":1}}`))
		early.answer = func(w http.ResponseWriter, body map[string]any) {
			time.Sleep(time.Second)
			yes(w, body)
		}
		early.said["/props"] = `{"total_slots":2,"default_generation_settings":{"n_ctx":4096}}`
		late.said["/props"] = `{"total_slots":2,"default_generation_settings":{"n_ctx":512}}`
		n := &serverstest.Network{}
		n.Serve(t, "early:80", early)
		m := opened(t, Options{Settings: backends.Settings{Servers: []string{"early:80", "late:80"}},
			ClientOptions: servers.ClientOptions{Transport: n.Transport()}})
		_, err := m.Plan(t.Context(), backends.Workload{})
		assert.NilError(t, err)
		comes := backendtest.After(2, func() { n.Serve(t, "late:80", late) })
		for id, c := range backendtest.Answers(t, m, serverstest.Items(100), comes) {
			assert.Equal(t, c.Text, " yes", id)
		}
		assert.Equal(t, len(late.bodies), 0)
	})
}

func TestSecretsAreInNoError(t *testing.T) {
	const key, password = "sk-very-secret-1", "pa55word"
	f := newFake(nil)
	f.answer = func(w http.ResponseWriter, _ map[string]any) { refuse(w, 401, "wrong: "+f.lastKey()+" and "+password) }
	n := &serverstest.Network{}
	n.Serve(t, "fake:80", f)
	m := opened(t, Options{Base: "http://me:" + password + "@fake:80", Key: key, ClientOptions: servers.ClientOptions{Transport: n.Transport()}})
	_, planned := m.Plan(t.Context(), backends.Workload{})
	info, _ := m.Info(t.Context())
	said := []string{one(t, m, question).Error, fmt.Sprint(planned), fmt.Sprintf("%+v", info)}
	_, gone := Open(t.Context(), Options{Base: "http://me:" + password + "@127.0.0.1:1"})
	_, odd := Open(t.Context(), Options{Base: "http://me:" + password + "@127.0.0.1:1/%zz"})
	said = append(said, fmt.Sprint(gone), fmt.Sprint(odd))
	for _, address := range []string{
		"ftp://me:%s@127.0.0.1", "me:%s@127.0.0.1:http", "http://me:%s@", "http://me/%s@127.0.0.1", "http://me:12/%s@127.0.0.1",
		"http://me:12?%s@127.0.0.1", "http://me:12#%s@127.0.0.1", "http://me:%s@127.0.0.1/v1?x", "http://%s@127.0.0.1/v1?x",
		"ftp://%s@127.0.0.1", "mailto:%s@127.0.0.1",
	} {
		address = fmt.Sprintf(address, password)
		for _, o := range []Options{{Base: address}, {Settings: backends.Settings{Servers: []string{address}}}} {
			if _, err := Open(t.Context(), o); err == nil {
				t.Errorf("%s is taken", address)
			} else {
				said = append(said, err.Error())
			}
		}
	}
	for _, text := range said {
		assert.Check(t, !strings.Contains(text, key) && !strings.Contains(text, password), "%q has a secret", text)
	}
	assert.Check(t, strings.Contains(said[0], "status 401") && strings.Contains(said[1], "OPENAI_API_KEY"), "%q", said)
}

// "none" as a secret would be taken out of every sentence that has the word.
func TestAPlaceholderOfAKeyIsSentAndIsNoSecret(t *testing.T) {
	for _, key := range []string{"EMPTY", "empty", "EMPTY_TOKEN", "none", "None", "sk-no-key-required"} {
		f := newFake(func(w http.ResponseWriter, _ map[string]any) { refuse(w, 401, key+" of these keys is known") })
		m := at(t, Options{Settings: backends.Settings{Body: typed(`{"user":"` + key + `"}`)}, Key: key,
			ClientOptions: once}, f)
		said := one(t, m, question).Error
		assert.Check(t, strings.Contains(said, key+" of these keys is known: it asks for a key, set OPENAI_API_KEY"), "%s: %s", key, said)
		assert.Check(t, is.Equal(f.lastKey(), "Bearer "+key))
		info, err := m.Info(t.Context())
		assert.NilError(t, err)
		assert.Check(t, is.Equal(string(info.Engine.ExtraBody), `{"user":"`+key+`"}`))
	}
}

func TestAPathIsNoName(t *testing.T) {
	for id, want := range map[string]string{
		"/models/a-Q4_0.gguf": "a-Q4_0", `C:\models\a.gguf`: "a", "Qwen/Qwen3-8B": "Qwen/Qwen3-8B", "a:8b": "a:8b",
	} {
		assert.Check(t, is.Equal(named(id), want), "%s", id)
	}
}

// A model is found by its file's name; where several have that name, nobody is guessed.
func TestOpenFindsTheModelOrSaysWhatIsMissing(t *testing.T) {
	n := &serverstest.Network{}
	for host, models := range map[string]string{
		"empty": `{"data":[]}`, "several": `{"data":[{"id":"a"},{"id":"b:latest"}]}`, "lacking": "", "page": "<html>",
		"files": `{"data":[{"id":"a/m"},{"id":"b/n.gguf"}]}`, "folders": `{"data":[{"id":"a/m"},{"id":"b/m"}]}`,
		"bare": `{"data":[{"id":"a/m"},{"id":"m"}]}`, "latest": `{"data":[{"id":"m:latest"},{"id":"m"}]}`,
		"both": `{"data":[{"id":"a/m.gguf"},{"id":"b/m"}]}`,
	} {
		f := newFake(yes)
		f.said["/v1/models"] = models
		n.Serve(t, host+":80", f)
	}
	with := servers.ClientOptions{Transport: n.Transport()}
	for _, c := range []struct{ base, model, found string }{
		{"several/v1/", "b", "b:latest"}, {"files", "n", "b/n.gguf"}, {"bare", "m", "m"}, {"latest", "m", "m"},
		{"several/v1/chat/completions", "b", "b:latest"}, {"http://several/v1/completions/", "b", "b:latest"},
	} {
		m := opened(t, Options{Settings: backends.Settings{Model: "openai:" + c.model}, Base: c.base, ClientOptions: with})
		assert.Equal(t, m.all[0].known().Model.Ref, c.found)
	}
	for _, c := range []struct{ base, model, want string }{
		{"ftp://localhost", "", "is not a server's address: give one as in http://127.0.0.1:8080"},
		{"nobody", "", "no server answers: nobody: dial tcp"},
		{"nobody/v1?a", "", "has something behind its path"},
		{"lacking", "", "does not list its models (status 404 at /v1/models: Not Found): does its address lack a path?"},
		{"page", "", "does not speak OpenAI's protocol: is /v1 its base address?"},
		{"empty", "", "has no model"},
		{"several", "", "has the models a, b:latest: name one of them, as in openai:a"},
		{"several", "c", `has no model "c", it has a, b:latest`},
		{"folders", "m", "has the models a/m, b/m: name one of them, as in openai:a/m"},
		{"both", "m", "name one of them"},
	} {
		_, err := Open(t.Context(), Options{Settings: backends.Settings{Model: "openai:" + c.model}, Base: c.base,
			ClientOptions: with})
		errortest.For(t, c.base, err, c.want)
	}
}

// Forks of llama-server show no conversation as they render it: their server renders it all the same.
func TestAForkThatShowsNoConversationIsAskedInChat(t *testing.T) {
	f := newFake(yes)
	f.said["/props"] = `{"total_slots":1,"default_generation_settings":{"n_ctx":512}}`
	m := at(t, Options{}, f)
	text, err := m.Converse(t.Context(), conversation, nil)
	assert.Check(t, err == nil && text == "user: Which?\n\nassistant:", "%q, %v", text, err)
	c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 8})
	assert.Check(t, c.Text == " yes" && f.last()["messages"] != nil, "%+v: %v", c, f.last())
	_, err = m.Plan(t.Context(), backends.Workload{MaxTokens: 8})
	assert.NilError(t, err)
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	assert.Check(t, strings.Contains(strings.Join(info.Notes, " "), "does not show how it renders conversations"), "%q",
		info.Notes)
}

// What a person can do is said where a certificate or a key is no good.
func TestWhatIsWrongWithACertificateOrAKeyIsSaid(t *testing.T) {
	s := httptest.NewUnstartedServer(newFake(yes))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	_, err := Open(t.Context(), Options{Base: s.URL})
	errortest.Says(t, err, "unknown authority: name the file of the certificate that signs the server's in SSL_CERT_FILE")
	_, err = Open(t.Context(), Options{Base: s.URL, Key: "sk-first\nsk-second"})
	errortest.Says(t, err, "OPENAI_API_KEY has a line break", "give the key alone")
}
