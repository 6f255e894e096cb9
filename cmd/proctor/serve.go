package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"proctor/cmd/proctor/console"
	"proctor/runner/ask/live"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/runs"
)

// defaultPort is where runs are served.
const defaultPort = 8321

// A board serves the runs of a folder to browsers on this machine: a page that lists them, and their reports.
type board struct {
	dir  string
	list func() ([]runs.Listed, error) // as they are to be shown

	mu    sync.Mutex
	state string // of the journals when they were listed
	known []runs.Listed
}

// serve serves a folder's runs until the context ends, which is no error.
func serve(ctx context.Context, p *console.Program, dir string, port int, list func() ([]runs.Listed, error)) error {
	listener, g, err := live.Guarded(strconv.Itoa(port))
	if err != nil {
		return fmt.Errorf("--port %d: %w", port, err)
	}
	server := g.Server((&board{dir: dir, list: list}).handler())
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if _, err := fmt.Fprintln(p.Stdout, g.Address); err != nil {
		return errors.Join(err, listener.Close())
	}
	p.Note("serves the runs in " + dir + " to browsers on this machine, until Ctrl-C ends it")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler answers what browsers ask for.
func (b *board) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { answer(w, b.index) })
	mux.HandleFunc("GET /{report...}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, func(w io.Writer) error { return b.report(w, r.PathValue("report")) })
	})
	return mux
}

// answer sends a document once it is whole, or says why there is none.
func answer(w http.ResponseWriter, write func(io.Writer) error) {
	var out bytes.Buffer
	switch err := write(&out); {
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(out.Bytes()) // a browser that has left needs no answer
	}
}

// index is the page that lists the runs. They are marked again only where a journal has changed since.
func (b *board) index(w io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	journals, err := journal.In(b.dir)
	if err != nil {
		return err
	}
	var state strings.Builder
	for _, path := range journals {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(&state, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	if b.known == nil || state.String() != b.state {
		if b.known, err = b.list(); err != nil {
			return err
		}
		b.state = state.String()
	}
	return runs.HTML(w, b.dir, b.known, func(string) bool { return true }) // a report that is not there yet is made
}

// report is that of a run, given as the page's links name it: the file beside the journal, or made from that where there is none.
func (b *board) report(w io.Writer, name string) error {
	journals, err := journal.In(b.dir)
	if err != nil {
		return err
	}
	for _, path := range journals {
		run := filepath.Dir(path)
		file := report.Path(run, ".html")
		if link, err := filepath.Rel(b.dir, file); err != nil || filepath.ToSlash(link) != name {
			continue
		}
		content, err := os.ReadFile(file)
		if err == nil {
			_, err = w.Write(content)
			return err
		}
		summary, err := metrics.Open(run, metrics.Options{})
		if err != nil {
			return err
		}
		html, err := report.Formats.Named("html")
		if err != nil {
			return err
		}
		return html.Write(w, summary)
	}
	return fmt.Errorf("%s is not a report of a run in %s: %w", name, b.dir, fs.ErrNotExist)
}
