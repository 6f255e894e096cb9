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
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"proctor/backends"
	"proctor/backends/servers"
)

// message is a part of a conversation, as the protocol has it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// sent are messages as the protocol has them.
func sent(messages []backends.Message) []message {
	all := make([]message, len(messages))
	for i, m := range messages {
		all[i] = message(m)
	}
	return all
}

// fold has a server write a conversation down; errUnwritten where it does not do that.
func (s *server) fold(ctx context.Context, messages []message, variables map[string]any) (string, error) {
	var folded struct {
		Prompt string `json:"prompt"`
	}
	if !s.known().llama() {
		return "", errUnwritten
	}
	body := map[string]any{"model": s.known().model, "messages": messages}
	if len(variables) > 0 {
		body["chat_template_kwargs"] = variables
	}
	if err := s.call(ctx, "apply-template", body, &folded); err != nil || folded.Prompt == "" {
		return "", cmp.Or(err, errUnwritten)
	}
	return folded.Prompt, nil
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

// statusError is an answer that is none.
type statusError struct {
	code   int // 0 for an error that came in the stream of an answer
	header http.Header
	complaint
}

func (e *statusError) Error() string {
	if e.code == 0 {
		return e.words
	}
	return fmt.Sprintf("status %d: %s", e.code, cmp.Or(e.words, http.StatusText(e.code)))
}

// send makes a request, and reads its answer, which is JSON. It waits for a busy server as long as ctx lets it.
func (s *server) send(ctx context.Context, to *url.URL, body, into any) error {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body) // of strings, numbers and lists
	}
	for {
		err := s.sendOnce(ctx, method, to.String(), text, into)
		refused := (*statusError)(nil)
		if !errors.As(err, &refused) {
			return err
		}
		busy, pause := servers.Busy(refused.code, refused.header, time.Now())
		if !busy {
			return err
		}
		if err := servers.WaitFor(ctx, pause, err); err != nil {
			return err
		}
	}
}

func (s *server) sendOnce(ctx context.Context, method, to string, text []byte, into any) error {
	answer, err := s.do(ctx, method, to, text)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		if errors.Is(err, servers.TooLong()) {
			return err
		}
		return errNoJSON
	}
	return nil
}

// stream posts a request, and has take take the events of the answer until that ends, or take says that the text is done. An answer
// that is no stream but one object is taken as its only event.
func (s *server) stream(ctx context.Context, path string, body any, take func(event) (bool, error)) error {
	text, _ := json.Marshal(body) // of strings, numbers and lists, and of what JSON was
	answer, err := s.do(ctx, http.MethodPost, s.address.JoinPath(path).String(), text)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	begin := bufio.NewReader(answer.Body)
	if first, _ := begin.Peek(1); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		object, err := io.ReadAll(begin)
		if err != nil {
			return err
		}
		_, err = decoded(object, take)
		return err
	}
	// The last event is whole though a server left out the empty line behind it.
	whole := io.NopCloser(io.MultiReader(begin, strings.NewReader("\n\n")))
	events := ssestream.NewDecoder(&http.Response{Body: whole})
	for events.Next() {
		data := events.Event().Data
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return nil
		}
		if done, err := decoded(data, take); done || err != nil {
			return err
		}
	}
	return events.Err()
}

// decoded has take take an event. The error of one that has an error instead of an answer is a [statusError].
func decoded(data []byte, take func(event) (bool, error)) (done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, err
	}
	if len(e.Choices) == 0 {
		if c := complaintIn(data); c.words != "" {
			return false, &statusError{complaint: c}
		}
	}
	return take(e)
}

// do makes a request. Nothing is read from the environment here: a key that is meant for another server is not sent to this one.
func (s *server) do(ctx context.Context, method, to string, text []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	answer, err := s.client.Do(r)
	if err != nil || answer.StatusCode == http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body) // what came of it counts
	return nil, &statusError{code: answer.StatusCode, header: answer.Header, complaint: complaintIn(body)}
}

// A complaint is a server's own account of an error. Secrets in it are not hidden yet.
type complaint struct {
	words string // whole; empty where it says nothing
	field string // of the request that it is about; empty where it names none
}

// complaintIn finds a complaint in the body of an answer: {"error":{"message"}}, {"error":"…"}, {"message"}, {"detail"} of a text or of a
// list, an array of such objects, or a text. A page for browsers says nothing.
func complaintIn(body []byte) (c complaint) {
	var all []json.RawMessage
	if json.Unmarshal(body, &all) == nil && len(all) > 0 {
		return complaintIn(all[0])
	}
	var text string
	if json.Unmarshal(body, &text) == nil {
		return complaint{words: text}
	}
	var object struct {
		Error, Detail json.RawMessage
		Message       json.RawMessage
		Msg           string
		Param         json.RawMessage
		Loc           []any
	}
	if json.Unmarshal(body, &object) != nil {
		if text = strings.TrimSpace(string(body)); !json.Valid(body) && !strings.HasPrefix(text, "<") {
			c.words = text
		}
		return c
	}
	extra(object.Param, &c.field)
	if len(object.Loc) > 0 {
		c.field = fmt.Sprint(object.Loc[len(object.Loc)-1])
		c.words = c.field + ": " + object.Msg
		return c
	}
	for _, part := range []json.RawMessage{object.Error, object.Message, object.Detail} {
		if said := complaintIn(part); c.words == "" && len(part) > 0 {
			c = complaint{said.words, cmp.Or(c.field, said.field)}
		}
	}
	return c
}
