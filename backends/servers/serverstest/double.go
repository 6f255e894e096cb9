package serverstest

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/tidwall/gjson"
	"golang.org/x/tools/txtar"
)

//go:embed doubles
var files embed.FS

// A Double answers as servers of a kind do, from the sections of doubles/KIND.txtar. The file's comment names its sources, and what they
// do not tell. An answer is JSON, or events, or HTTP from "status CODE" on, and a template (<<.model>>) over the request's body.
//
//	base         path of the protocol, where it is not /v1
//	parts        templates of the answers
//	GET /props   the answer at a path
//	refuses      lines FIELD⇥CODE⇥BODY: the error where a request has the field; FIELD!=1|2: where it has another value
//	chat: plain  the answer of /chat/completions in a scene
//	text: plain  the answer of /completions
//	error: auth  the answer of both
//	elsewhere    the answer at all other paths
type Double struct {
	t        testing.TB
	server   *httptest.Server
	base     string
	sections map[string]string

	mu    sync.Mutex
	scene string
	asked []map[string]any
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
	d := &Double{t: t, base: "/v1", sections: map[string]string{}, scene: "plain"}
	for _, f := range txtar.Parse(text).Files {
		d.sections[f.Name] = string(f.Data)
	}
	if base, has := d.sections["base"]; has {
		d.base = strings.TrimSpace(base)
	}
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
	if scene == "" {
		scene = "plain"
	}
	if all := d.Scenes(); !slices.Contains(all, scene) {
		d.t.Fatalf("no scene %q: there are %q", scene, all)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.scene = scene
}

// Scenes are what [Double.Say] takes, sorted.
func (d *Double) Scenes() (all []string) {
	for name := range d.sections {
		switch endpoint, scene, is := strings.Cut(name, ": "); {
		case endpoint == "error":
			all = append(all, name)
		case is:
			all = append(all, scene)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Asked are the bodies of all requests for completions so far, in order.
func (d *Double) Asked() []map[string]any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked)
}

// ServeHTTP implements [http.Handler].
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	names := []string{r.Method + " " + r.URL.Path}
	if endpoint, is := map[string]string{"/chat/completions": "chat: ", "/completions": "text: "}[strings.TrimPrefix(r.URL.Path, d.base)]; is {
		d.mu.Lock()
		d.asked = append(d.asked, body)
		names = append(names, endpoint+d.scene, d.scene)
		d.mu.Unlock()
		for line := range strings.Lines(d.sections["refuses"]) {
			field, answer, _ := strings.Cut(line, "\t")
			field, allowed, some := strings.Cut(field, "!=")
			value, _ := json.Marshal(body[field])
			if body[field] != nil && !(some && slices.Contains(strings.Split(allowed, "|"), string(value))) {
				d.write(w, "status "+strings.Replace(answer, "\t", "\n\n", 1), body)
				return
			}
		}
	}
	for _, name := range append(names, "elsewhere") {
		if answer, has := d.sections[name]; has {
			d.write(w, answer, body)
			return
		}
	}
}

// inAnswers are the functions of answers.
var inAnswers = template.FuncMap{
	"json":  func(v any) (string, error) { text, err := json.Marshal(v); return string(text), err },
	"words": func(text any) []string { s, _ := text.(string); return strings.Fields(s) },
	"plus":  func(a, b int) int { return a + b },
	"cap": func(body map[string]any) int { // on the tokens
		for _, field := range []string{"max_completion_tokens", "max_tokens"} {
			if n, is := body[field].(float64); is {
				return int(n)
			}
		}
		return 16
	},
}

// write sends an answer.
func (d *Double) write(w http.ResponseWriter, answer string, body map[string]any) {
	whole, is := strings.CutPrefix(answer, "status ")
	if !is {
		whole = "200\n\n" + answer
	}
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader("HTTP/1.1 "+whole)), nil)
	if err != nil {
		d.t.Errorf("%q: %v", answer, err)
		return
	}
	text, _ := io.ReadAll(response.Body)
	var filled bytes.Buffer
	parsed := template.Must(template.New("").Delims("<<", ">>").Funcs(inAnswers).Parse(d.sections["parts"]))
	if err := template.Must(parsed.New("answer").Parse(string(text))).Execute(&filled, body); err != nil {
		d.t.Errorf("%q: %v", text, err)
	}
	kind := "text/event-stream"
	if json.Valid(filled.Bytes()) {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	w.Write(filled.Bytes())
}
