package live

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"proctor/runner/report/page"
)

//go:embed assets/live.html
var document string

//go:embed assets/live.css
var style string

//go:embed assets/live.js
var script string

// whole is the page, which never changes.
var whole = func() []byte {
	var out bytes.Buffer
	err := template.Must(template.New("live").Parse(document)).Execute(&out, map[string]any{
		"Style": template.CSS(style), "Script": template.JS(script),
	})
	if err != nil {
		panic(err) // only for a broken embedded text
	}
	return out.Bytes()
}()

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var policy = "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
	"; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

func (s *Server) handler() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		s.give(w, r, whole)
	})
	routes.HandleFunc("/report/{task}", s.report)
	routes.HandleFunc("/events", s.events)
	return routes
}

func (s *Server) give(w http.ResponseWriter, r *http.Request, document []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(document)
	}
}

// report serves a task's report. Its policy allows only the report itself; this page alone may frame it.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	at, err := strconv.Atoi(r.PathValue("task"))
	s.mu.Lock()
	known := err == nil && at >= 0 && at < len(s.tasks)
	var task *shown
	if known {
		task = s.tasks[at]
	}
	s.mu.Unlock()
	if !known {
		http.Error(w, "there is no such task", http.StatusNotFound)
		return
	}
	made, err := task.report(s.over.Load())
	if err != nil {
		http.Error(w, page.Visible(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'self'")
	s.give(w, r, made)
}

// A standing is the data of one event.
type standing struct {
	Tasks []string `json:"tasks"` // so far
	Line  string   `json:"line"`
	Done  int      `json:"done"`
	Total int      `json:"total"`
	Due   []int    `json:"due"` // the tasks with a newer report
	Ended bool     `json:"ended"`
}

func (s *Server) standing() standing {
	ended := s.over.Load()
	s.mu.Lock()
	u, tasks := s.update, slices.Clone(s.tasks)
	s.mu.Unlock()
	now := standing{Tasks: []string{}, Due: []int{}, Line: page.Visible(u.Line()), Done: u.Done, Total: u.Total, Ended: ended}
	for i, task := range tasks {
		now.Tasks = append(now.Tasks, task.name)
		if task.due(ended) {
			now.Due = append(now.Due, i)
		}
	}
	return now
}

// beat is the interval between a page's events.
const beat = 500 * time.Millisecond

// events sends a page the run's progress, as server-sent events, until it disconnects. The last event says that the run has ended.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	s.watching.Add(1)
	defer s.watching.Done()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	ended, before := s.ended, ""
	for {
		now, err := json.Marshal(s.standing())
		if err != nil {
			return
		}
		if event := string(now); event != before {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", event); err != nil {
				return
			}
			before = event
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-ended:
			ended = nil // the page leaves once it has the last report
		case <-ticker.C:
		}
	}
}
