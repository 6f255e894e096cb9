// Package ollamatest is a real Ollama for tests: a [Server] with a home and models of its own, the one that `make ollama` compiles. And
// it lays out Ollama's local store without one.
package ollamatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

// startTime is how long a server may take until it answers, since it looks for GPUs first, or until it has ended.
const startTime = time.Minute

// Options say how a server is started.
type Options struct {
	Parallel int      // requests that a model answers at a time; 0: Ollama's own default
	Env      []string // further variables, KEY=VALUE
}

// A Server is a real Ollama on a loopback port, with a home and models of its own. One goroutine kills and restarts it; the others may keep
// reading its address and its log.
type Server struct {
	binary  string
	folder  string
	options Options
	address string // host:port, the same over restarts; with port 0 before the first start

	input io.Closer     // of its process, which ends with it; nil where none runs
	ended chan struct{} // closed when the process has ended
}

// New starts a server for a test, and waits until it answers. The test is skipped where no Ollama is built, but fails in CI. The
// server's log is shown when the test fails, and the server is killed when the test ends.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	binary, err := find()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s := &Server{binary: binary, folder: t.TempDir(), options: options, address: "127.0.0.1:0"}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of the Ollama at %s:\n%s", s.Host(), s.Log())
		}
	})
	return s
}

// find returns the path of the Ollama binary: the one that PROCTOR_OLLAMA names, else build/ollama in the working folder or one
// above it.
func find() (string, error) {
	if path := os.Getenv("PROCTOR_OLLAMA"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("ollamatest: PROCTOR_OLLAMA: %w", err)
		}
		return found, nil
	}
	folder, err := os.Getwd()
	for below := ""; err == nil && folder != below; folder, below = filepath.Dir(folder), folder {
		path := filepath.Join(folder, "build", "ollama")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("ollamatest: no Ollama is built: run make ollama, or name the binary in PROCTOR_OLLAMA")
}

// Kill ends the server and its runners at once, with SIGKILL. It is safe to call twice.
func (s *Server) Kill() error {
	if s.input == nil {
		return nil
	}
	s.input.Close() // an error says that the process has ended already
	<-s.ended
	s.input = nil
	for began := time.Now(); time.Since(began) < startTime; time.Sleep(10 * time.Millisecond) {
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			return nil
		}
		connection.Close()
	}
	return fmt.Errorf("ollamatest: %s still answers after its server was killed", s.address)
}

// URL returns the server's address, the same over restarts.
func (s *Server) URL() *url.URL { return &url.URL{Scheme: "http", Host: s.address} }

// Host returns the server's host and port, as in OLLAMA_HOST.
func (s *Server) Host() string { return s.address }

// Models returns the folder that the server keeps its models in.
func (s *Server) Models() string { return filepath.Join(s.folder, "models") }

// Client returns a client of the server that reads nothing from the environment.
func (s *Server) Client() *api.Client { return api.NewClient(s.URL(), &http.Client{}) }

// Log returns what the server has logged so far, over all its starts.
func (s *Server) Log() string {
	text, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (s *Server) logPath() string { return filepath.Join(s.folder, "server.log") }

// guarded runs a program until it ends or its standard input does, as when this process ends, and takes all that the
// program has started with it.
const guarded = `("$0" serve </dev/null; kill -KILL 0) & cat >/dev/null; kill -KILL 0`

// listening finds the address in the server's log. The server chooses it at the first start.
var listening = regexp.MustCompile(`msg="Listening on ([0-9.]+:[0-9]+) `)

// Start starts a killed server again, on the same port and with the models that it had, and waits until it answers.
func (s *Server) Start(ctx context.Context) error {
	if s.input != nil {
		return fmt.Errorf("ollamatest: the server at %s runs already", s.address)
	}
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("ollamatest: %w", err)
	}
	defer log.Close()
	earlier := len(s.Log())
	cmd := exec.Command("sh", "-c", guarded, s.binary)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.folder, "OLLAMA_MODELS=" + s.Models(),
		"OLLAMA_HOST=" + s.address, "OLLAMA_NO_CLOUD=1"}, s.options.Env...)
	if s.options.Parallel > 0 {
		cmd.Env = append(cmd.Env, "OLLAMA_NUM_PARALLEL="+strconv.Itoa(s.options.Parallel))
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = group()
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("ollamatest: %w", err)
	}
	ended := make(chan struct{})
	s.input, s.ended = input, ended
	go func() {
		defer close(ended)
		cmd.Wait() // it is killed: how it ended says nothing
	}()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		news := s.Log()[earlier:]
		if found := listening.FindStringSubmatch(news); found != nil {
			s.address = found[1]
			if s.Client().Heartbeat(ctx) == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			err = fmt.Errorf("ollamatest: the server does not answer (%w); its log ends in: %s", ctx.Err(), lastLine(news))
			return errors.Join(err, s.Kill())
		case <-ended:
			err = fmt.Errorf("ollamatest: the server ended at once: %s", lastLine(s.Log()[earlier:]))
			return errors.Join(err, s.Kill())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
