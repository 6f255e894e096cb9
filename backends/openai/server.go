package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// A server is one of the servers of a model.
type server struct {
	model   *Model
	address *url.URL // with the path that the protocol begins with

	mu  sync.Mutex
	now facts
}

// facts are what a server has reported, and what its answers have shown since.
type facts struct {
	*kind // nil until it was met
	servers.Facts
	version  string
	template string // of llama-server: the model's chat template
	begins   string // of one that splits texts: how the token is spelled that it puts before every prompt
	lacks    string // the field that it refuses; empty for none
	mute     bool   // it does not show how it renders conversations, though its kind does
}

var _ servers.Protocol = (*server)(nil)

// Name implements [servers.Protocol]: nothing of it is secret.
func (s *server) Name() string { return s.address.Host + strings.TrimSuffix(s.address.Path, "/v1") }

func (s *server) known() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *server) learn(change func(*facts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
}

// Facts implements [servers.Protocol].
func (s *server) Facts(ctx context.Context, at *servers.Facts) (servers.Facts, error) {
	all, err := s.list(ctx)
	if errors.Is(err, errNoJSON) {
		return servers.Facts{}, servers.Final("%s answers, but does not speak OpenAI's protocol: is %s its base address?",
			s.Name(), s.address.Path)
	}
	if refusal, is := errors.AsType[*servers.Refusal](err); is && refusal.Code < http.StatusInternalServerError {
		if e := refusal.Means(time.Now()); !e.Busy && (!e.Lasts() || e.Cause == backends.CauseGone) {
			return servers.Facts{}, servers.Final("%s does not list its models (%s): does its address lack a path?", s.Name(),
				s.model.plain(refusal))
		}
	}
	if err != nil {
		return servers.Facts{}, err
	}
	wanted := s.model.name
	if at != nil && wanted == "" {
		wanted = at.Model.Ref
	}
	model, err := s.find(wanted, all)
	if err != nil {
		return servers.Facts{}, err
	}
	f, err := s.identify(ctx, model)
	if err != nil {
		return servers.Facts{}, err
	}
	number := func(n int64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	f.Same = []servers.Fact{{Name: "number of parameters", Value: number(f.Model.Parameters)},
		{Name: "bytes", Value: number(f.Model.SizeBytes)},
		{Name: "trained context", Value: number(int64(f.Model.ContextLength))}, {Name: "name", Value: rootName(model.Root)}}
	s.learn(func(now *facts) {
		f.lacks, f.mute = now.lacks, now.mute
		f.Writes = f.kind == llamaServer && !f.mute
		*now = f
	})
	return f.Facts, nil
}

// Load implements [servers.Protocol]: a server loads its model itself.
func (s *server) Load(context.Context, *servers.Run) error { return nil }

// Unload implements [servers.Protocol]: the protocol cannot empty a server's cache.
func (s *server) Unload(context.Context) error { return servers.ErrUnable }

// Count implements [servers.Protocol].
func (s *server) Count(ctx context.Context, text string) ([]int32, error) {
	known := s.known()
	return s.tokenize(ctx, known, strings.TrimPrefix(text, known.begins))
}

// Chat implements [servers.Protocol].
func (s *server) Chat(ctx context.Context, r *servers.Request) (string, error) {
	known := s.known()
	if known.kind != llamaServer || known.mute {
		return "", servers.ErrUnable
	}
	body := map[string]any{"model": known.Model.Ref, "messages": sent(r.Messages)}
	if all := variables(r, r.Effort); len(all) > 0 {
		body["chat_template_kwargs"] = all
	}
	var rendered struct {
		Prompt string `json:"prompt"`
	}
	err := s.call(ctx, "apply-template", body, &rendered)
	// a fork's
	if refusal, is := errors.AsType[*servers.Refusal](err); is && refusal.Absent() || err == nil && rendered.Prompt == "" {
		s.learn(func(now *facts) { now.mute = true })
		return "", servers.ErrUnable
	}
	return rendered.Prompt, err
}

// Generate implements [servers.Protocol]. A field that the server refuses, one at most, it gets no more from then on.
func (s *server) Generate(ctx context.Context, r *servers.Request, to *servers.Answer) error {
	if r.Forced != nil {
		return s.letters(ctx, r, to)
	}
	known, own := s.known(), s.model.body
	body := known.body(r, own)
	a := &answer{Answer: to}
	err := s.stream(ctx, r, body, a)
	if field := refusedField(err, body); field != "" && known.lacks == "" {
		s.learn(func(now *facts) { now.lacks = cmp.Or(now.lacks, field) })
		known.lacks = field
		a = &answer{Answer: to}
		err = s.stream(ctx, r, known.body(r, own), a)
	}
	a.tally()
	_, to.NotTaken = known.drawing(r.Sampling)
	refusal, refused := errors.AsType[*servers.Refusal](err)
	switch {
	case err == nil:
		s.endsAtStop(ctx, to)
	// OpenAI's, by thinking
	case refused && refusal.Code == http.StatusBadRequest && strings.Contains(refusal.Words, "output limit was reached"):
		to.Finish, to.Ending, to.Output = "length", servers.Length, r.MaxTokens
		return nil
	case refused && refusal.Absent() && r.Messages == nil:
		return &servers.Error{Cause: backends.CauseEngine, Final: true, Code: refusal.Code,
			Text: fmt.Sprintf("it does not continue raw prompts (%s): take %s", s.model.plain(refusal),
				setting.Prompt.As("chat"))}
	case refused && refusal.Means(time.Now()).Cause == backends.CauseGone:
		if all, _ := s.list(ctx); len(all) > 0 {
			refusal.Words += "; it lists " + names(all)
		}
	}
	return err
}

// endsAtStop finds the stop string that ended a raw answer at a server which only says that it stopped. With the stop
// string behind it the text has as many tokens as were written; without, one less than those where a token ended it.
// ik_llama.cpp also says so of an answer that reached the cap.
func (s *server) endsAtStop(ctx context.Context, a *servers.Answer) {
	if s.known().kind != llamaServer || a.Ending != servers.Whole || a.Stop != "" || a.Stopped() {
		return
	}
	count := func(text string) int {
		return servers.TokensOf(func(text string) ([]int32, error) { return s.Count(ctx, text) }, text)
	}
	text := a.Text.String()
	if a.Request.Messages == nil && count(text)+1 != a.Output {
		for _, stop := range stops(a.Request.Stop) {
			if n := count(text + stop); n > 0 && n == a.Output {
				a.Stop = stop
				return
			}
		}
	}
	// llama-server itself, which tells its build, says "length" then
	if a.Output >= a.Request.MaxTokens && s.known().version == "" {
		a.Ending = servers.Length
	}
}

// call asks a server what the protocol has no word for, at a path beside the protocol's; with a body it is posted.
func (s *server) call(ctx context.Context, path string, body, into any) error {
	root := *s.address
	root.Path = strings.TrimSuffix(root.Path, "/v1")
	path, root.RawQuery, _ = strings.Cut(path, "?")
	return s.send(ctx, root.JoinPath(path), body, into)
}

// list are the models that a server has.
func (s *server) list(ctx context.Context) (all []listed, err error) {
	var list struct {
		Data []listed `json:"data"`
	}
	err = s.send(ctx, s.address.JoinPath("models"), nil, &list)
	return list.Data, err
}

var errNoJSON = errors.New("the answer is no JSON")

// send makes a request, and reads its answer, which is JSON.
func (s *server) send(ctx context.Context, to *url.URL, body, into any) error {
	answer, err := s.do(ctx, to, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	err = json.NewDecoder(answer.Body).Decode(into)
	if e := (*servers.Error)(nil); err != nil && !errors.As(err, &e) {
		return errNoJSON
	}
	return err
}

// stream posts a request for an answer, and has it take the events. An answer that is no stream but one object is taken
// as its only event.
func (s *server) stream(ctx context.Context, r *servers.Request, body any, a *answer) error {
	path := "completions"
	if r.Messages != nil {
		path = "chat/completions"
	}
	reply, err := s.do(ctx, s.address.JoinPath(path), body)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	begin := bufio.NewReader(reply.Body)
	if first, _ := begin.Peek(1); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		object, err := io.ReadAll(begin)
		if err != nil {
			return err
		}
		return a.take(object)
	}
	// The last event is whole though a server left out the empty line behind it.
	whole := io.NopCloser(io.MultiReader(begin, strings.NewReader("\n\n")))
	events := ssestream.NewDecoder(&http.Response{Body: whole})
	for events.Next() {
		data := events.Event().Data
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return nil
		}
		if err := a.take(data); err != nil {
			return err
		}
	}
	return events.Err()
}

// do makes a request; with a body it is posted. Nothing is read from the environment here: a key that is meant for
// another server is not sent to this one.
func (s *server) do(ctx context.Context, to *url.URL, body any) (*http.Response, error) {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body) // of strings, numbers and lists, and of what JSON was
	}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.model.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+s.model.options.Key)
	}
	answer, err := s.model.client.Do(r)
	if err != nil || answer.StatusCode == http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body) // what came of it counts
	refusal := complaintIn(said)
	refusal.Code, refusal.Path, refusal.Header = answer.StatusCode, to.Path, answer.Header
	return nil, &refusal
}

// complaintIn finds a server's own account of an error in the body of its answer, its status, which an event has, and
// the field of the request that it is about: {"error":{"message"}}, {"error":TEXT}, {"message"}, {"detail"} of a text
// or of a list, an array of such objects, or a text. A page for browsers says nothing. The words of the server behind
// it, which OpenRouter has in its metadata, are among the words.
func complaintIn(body []byte) (r servers.Refusal) {
	var all []json.RawMessage
	if json.Unmarshal(body, &all) == nil && len(all) > 0 {
		return complaintIn(all[0])
	}
	if json.Unmarshal(body, &r.Words) == nil {
		return r
	}
	var object struct {
		Error, Detail, Message, Param, Metadata, Code json.RawMessage
		Msg                                           string
		Loc                                           []any
	}
	if json.Unmarshal(body, &object) != nil {
		if text := strings.TrimSpace(string(body)); !json.Valid(body) && !strings.HasPrefix(text, "<") {
			r.Words = text
		}
		return r
	}
	if len(object.Loc) > 0 {
		r.Field = fmt.Sprint(object.Loc[len(object.Loc)-1])
		r.Words = r.Field + ": " + object.Msg
		return r
	}
	for _, part := range []json.RawMessage{object.Error, object.Message, object.Detail} {
		if r.Words == "" && len(part) > 0 {
			r = complaintIn(part)
		}
	}
	if code, err := strconv.Atoi(strings.Trim(string(object.Code), `"`)); err == nil && code >= 400 && code < 600 {
		r.Code = code
	}
	if extra(object.Param, &r.Field); r.Field == "None" { // as Python spells none
		r.Field = ""
	}
	var behind struct{ Raw string }
	if extra(object.Metadata, &behind); behind.Raw != "" {
		r.Words += ": " + behind.Raw
	}
	return r
}
