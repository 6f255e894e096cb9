package serverstest

import (
	"cmp"
	"embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/tidwall/gjson"
	"golang.org/x/tools/txtar"
)

//go:embed doubles
var files embed.FS

// A Double answers as servers of a kind do, from the sections of doubles/KIND.txtar, whose comment names its sources, and what they do
// not tell. An answer is JSON, events or HTML, behind "status CODE" and an empty line where it is not 200. It is a template over the
// request's body (<<.model>>).
//
//	base         path of the protocol, where it is not /v1
//	parts        templates of the answers
//	GET /props   the answer at a path
//	refuses      lines FIELD⇥CODE⇥BODY: the error where a request has the field; FIELD!=1|2: where it has another value
//	chat: plain  the answer of /chat/completions in a scene; of /completions it is text: plain, of both it is error: auth
//	elsewhere    the answer at all other paths
type Double struct {
	t        testing.TB
	server   *httptest.Server
	base     string
	sections map[string]string

	mu       sync.Mutex
	scene    string
	requests []map[string]any
}

// Doubles are the kinds of servers that have a double, sorted.
func Doubles() (all []string) {
	found, _ := files.ReadDir("doubles")
	for _, f := range found {
		all = append(all, strings.TrimSuffix(f.Name(), ".txtar"))
	}
	return all
}

// NewDouble has a double listen on a loopback port until the test ends.
func NewDouble(t testing.TB, kind string) *Double {
	t.Helper()
	text, err := files.ReadFile("doubles/" + kind + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	d := &Double{t: t, sections: map[string]string{"base": "/v1"}, scene: "plain"}
	for _, f := range txtar.Parse(text).Files {
		d.sections[f.Name] = string(f.Data)
	}
	d.base = strings.TrimSpace(d.sections["base"])
	d.server = httptest.NewServer(d)
	t.Cleanup(d.server.Close)
	return d
}

// URL is the server's address, without /v1.
func (d *Double) URL() string { return d.server.URL + strings.TrimSuffix(d.base, "/v1") }

// Model is the first model that it lists.
func (d *Double) Model() string {
	return gjson.Get(d.sections["GET "+d.base+"/models"], "data.0.id").String()
}

// Say chooses the scene that completions get from now on; the empty one is "plain".
func (d *Double) Say(scene string) {
	d.t.Helper()
	if scene = cmp.Or(scene, "plain"); !slices.Contains(d.Scenes(), scene) {
		d.t.Fatalf("no scene %q: there are %q", scene, d.Scenes())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.scene = scene
}

// Scenes lists the scenes that [Double.Say] accepts, sorted.
func (d *Double) Scenes() (all []string) {
	for name := range d.sections {
		if strings.Contains(name, ": ") {
			all = append(all, strings.TrimPrefix(strings.TrimPrefix(name, "chat: "), "text: "))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Requests are the bodies of all requests for completions so far, in order.
func (d *Double) Requests() []map[string]any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.requests)
}

// ServeHTTP implements [http.Handler].
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	answer := cmp.Or(d.sections[r.Method+" "+r.RequestURI], d.sections[r.Method+" "+r.URL.Path])
	if path := strings.TrimPrefix(r.URL.Path, d.base); strings.HasSuffix(path, "/completions") {
		endpoint := map[string]string{"/chat/completions": "chat: ", "/completions": "text: "}[path]
		d.mu.Lock()
		d.requests = append(d.requests, body)
		answer = cmp.Or(answer, d.refusal(body), d.sections[endpoint+d.scene], d.sections[d.scene])
		d.mu.Unlock()
	}
	parts := template.Must(template.New("").Delims("<<", ">>").Funcs(inAnswers).Parse(d.sections["parts"]))
	var text strings.Builder
	if err := template.Must(parts.New("answer").Parse(cmp.Or(answer, d.sections["elsewhere"]))).Execute(&text, body); err != nil {
		d.t.Errorf("%q: %v", answer, err)
	}
	status, sent := http.StatusOK, text.String()
	if head, rest, is := strings.Cut(sent, "\n\n"); is && strings.HasPrefix(head, "status ") {
		status, _ = strconv.Atoi(head[len("status "):])
		sent = rest
	}
	if json.Valid([]byte(sent)) {
		w.Header().Set("Content-Type", "application/json")
	} else if strings.Contains(sent, "data: ") {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	w.WriteHeader(status)
	w.Write([]byte(sent))
}

// refusal is the error of a request that has what its server does not take; empty where it takes all.
func (d *Double) refusal(body map[string]any) string {
	for line := range strings.Lines(d.sections["refuses"]) {
		refusal := strings.SplitN(line, "\t", 3)
		field, allowed, _ := strings.Cut(refusal[0], "!=")
		value, _ := json.Marshal(body[field])
		if body[field] != nil && !slices.Contains(strings.Split(allowed, "|"), string(value)) {
			return "status " + refusal[1] + "\n\n" + refusal[2]
		}
	}
	return ""
}

// inAnswers are the functions of answers.
var inAnswers = template.FuncMap{
	"json":  func(v any) string { text, _ := json.Marshal(v); return string(text) },
	"words": strings.Fields,
	"plus":  func(a, b int) int { return a + b },
	"cap": func(body map[string]any) int { // on the tokens
		return int(cmp.Or(body["max_completion_tokens"], body["max_tokens"], any(16.0)).(float64))
	},
}
