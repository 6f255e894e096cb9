package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// A server is one of the hosts that are asked.
type server struct {
	address *url.URL
	api     *api.Client
	version string  // of Ollama there, when it was met
	load    sharing // how many answers it writes at a time

	// What follows is read and written under the pool's lock.
	up      bool
	asking  int     // requests that are there now
	limit   int     // requests that may be there at a time
	looked  bool    // what follows is known
	context int     // tokens that it gives a request; 0 where it does not say
	size    int64   // bytes of the loaded model, its cache counted
	onGPU   int64   // of them
	before  []int32 // tokens of the prompt that was asked last
	outage  error
}

// name is the server's name for people and journals.
func (s *server) name() string { return s.address.Host }

// checkTime is how long a server may take to say that it is there.
const checkTime = 10 * time.Second

// missing is a server that lacks the model.
type missing struct{ host, model string }

func (m *missing) Error() string {
	return fmt.Sprintf("%s has no model %q: `ollama pull %s` there gets it, or --pull has proctor do that", m.host, m.model, m.model)
}

// errPull is a pull that failed.
var errPull = errors.New("the pull failed")

// pull has the server get the model; the error wraps errPull.
func (s *server) pull(ctx context.Context, name string, progress func(host, status string, completed, total int64)) error {
	heard := &ear{beat: func() {}}
	last := ""
	err := s.api.Pull(listening(ctx, heard), &api.PullRequest{Model: name}, func(p api.ProgressResponse) error {
		last = p.Status
		if progress != nil {
			progress(s.name(), p.Status, p.Completed, p.Total)
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w: %s: %w", s.name(), errPull, name, s.plain(ctx, err))
	case heard.broken != nil:
		return fmt.Errorf("%s: %w: %s: the connection broke: %w", s.name(), errPull, name, heard.broken)
	case last != "success":
		return fmt.Errorf("%s: %w: %s ended at %q", s.name(), errPull, name, last)
	}
	return nil
}

// plain makes an error of Ollama's client one that people can read: in a line, without the request's whole address,
// and with ctx's own reason where that ended it.
func (s *server) plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var inRequest *url.Error
	if errors.As(err, &inRequest) {
		err = inRequest.Err
	}
	return err
}

// status is the HTTP status that err reports, with the server's words; 0 for none.
func status(err error) (code int, words string) {
	var answered api.StatusError
	var refused api.AuthorizationError
	switch {
	case errors.As(err, &answered):
		return answered.StatusCode, cmp.Or(answered.ErrorMessage, http.StatusText(answered.StatusCode))
	case errors.As(err, &refused):
		return http.StatusUnauthorized, http.StatusText(http.StatusUnauthorized)
	}
	return 0, ""
}

// oneLine is an error's text in one line.
func oneLine(err error) string { return inALine(err.Error()) }

// inALine makes a text one line, cut where it would fill a screen.
func inALine(text string) string {
	const longest = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
