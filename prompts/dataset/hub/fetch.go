package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Options say how to pull. The zero value is a good default.
type Options struct {
	Hub      Hub            // where it is; the zero value for the first of [Hubs]
	Endpoint string         // base address; empty for the one that the hub's variable names, else the hub itself
	Folder   string         // the data folder; empty for [dataset.Folder]'s
	Replace  bool           // take the place of a different set of the same name
	Progress func(Progress) // called from Pull's goroutine as bytes arrive; may be nil
	Client   *http.Client   // nil for one that heeds the usual proxy variables

	// For tests and odd networks; zero for the defaults.
	Tries int             // attempts in a row that bring no byte before Pull gives up (6)
	Idle  time.Duration   // silence after which a connection counts as lost (1 minute)
	Pause backoff.BackOff // waits between attempts (exponential from half a second)
}

// Progress says how far a pull is. Total is known from the start.
type Progress struct {
	File  string // being downloaded now
	Done  int64  // bytes of all files, those of an earlier attempt included
	Total int64
	Note  string // why an attempt failed and is tried again; usually empty
}

// Fetch downloads any file to a path as Pull does its own: checked, and from where an earlier attempt stopped.
func Fetch(ctx context.Context, address string, file File, to string, o Options) error {
	return newDownload(o, file).fetch(ctx, address, file, to)
}

// A download is of several files.
type download struct {
	Options
	before, total int64 // bytes: of the files already finished, and of all
}

func newDownload(o Options, files ...File) *download {
	o.Client = cmp.Or(o.Client, &http.Client{}) // http.DefaultTransport reads HTTPS_PROXY and NO_PROXY
	o.Tries, o.Idle = cmp.Or(o.Tries, 6), cmp.Or(o.Idle, time.Minute)
	o.Pause = cmp.Or[backoff.BackOff](o.Pause, backoff.NewExponentialBackOff())
	d := &download{Options: o}
	for _, file := range files {
		d.total += file.Size
	}
	return d
}

// fetch repeats attempts until the file is whole. Only attempts that bring nothing count as failed: a bad line that
// drops every few seconds still gets there.
func (d *download) fetch(ctx context.Context, address string, file File, target string) error {
	fruitless := 0
	attempt := func() (none struct{}, err error) {
		before := sizeOf(target)
		if err = d.attempt(ctx, address, file, target); err == nil || ctx.Err() != nil {
			return none, err
		}
		if fruitless++; sizeOf(target) > before {
			fruitless = 1
			d.Pause.Reset()
		}
		_, final := errors.AsType[*backoff.PermanentError](err)
		_, unknown := errors.AsType[*net.DNSError](err) // a host that is unknown twice stays so
		if (fruitless >= d.Tries || fruitless >= 2 && unknown) && !final {
			err = backoff.Permanent(fmt.Errorf("%w (gave up after %d attempts; pull again to go on from here)", err, fruitless))
		}
		return none, err
	}
	again := func(err error, pause time.Duration) {
		d.report(file, sizeOf(target), fmt.Sprintf("%v; trying again in %s", err, pause.Round(100*time.Millisecond)))
	}
	if _, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(d.Pause), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(again)); err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	d.before += file.Size
	return nil
}

func (d *download) report(file File, done int64, note string) {
	if d.Progress != nil {
		d.Progress(Progress{File: file.Path, Done: d.before + done, Total: d.total, Note: note})
	}
}

// sizeOf is 0 for a file that is not there.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt makes one request for what the target lacks and checks the file once it is whole. An error that another
// attempt cannot mend is permanent.
func (d *download) attempt(ctx context.Context, address string, file File, target string) error {
	have := sizeOf(target)
	if have < file.Size {
		if err := d.request(ctx, address, file, target, have); err != nil {
			return err
		}
	}
	content, err := os.Open(target)
	if err != nil {
		return backoff.Permanent(err)
	}
	defer content.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return backoff.Permanent(err)
	}
	got := fmt.Sprintf("%x", sum.Sum(nil))
	if got == file.SHA256 {
		d.report(file, file.Size, "")
		return nil
	}
	content.Close()
	if err := os.Remove(target); err != nil {
		return backoff.Permanent(err)
	}
	wrong := fmt.Errorf("sha256 is %.12s…, want %.12s…: these are not the pinned bytes", got, file.SHA256)
	if have > 0 {
		return wrong // the beginning may be of an older, damaged download: once more from the start
	}
	return backoff.Permanent(fmt.Errorf("%w; is a proxy or mirror changing them?", wrong))
}

// request appends to the target from byte have on.
func (d *download) request(ctx context.Context, address string, file File, target string, have int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return backoff.Permanent(err)
	}
	// Without this, Go's client asks for gzip and the range would count compressed bytes.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	silence := time.AfterFunc(d.Idle, func() { cancel(fmt.Errorf("no data for %s", d.Idle)) })
	defer silence.Stop()
	response, err := d.Client.Do(request)
	if ctx.Err() != nil {
		return context.Cause(ctx) // "context canceled" helps nobody
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	start := have // at which byte the body begins: where the request said, or at 0 from a server without ranges
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		start = 0
	case code == http.StatusPartialContent:
		if sent := response.Header.Get("Content-Range"); !strings.HasPrefix(sent, fmt.Sprintf("bytes %d-", have)) {
			return backoff.Permanent(fmt.Errorf("requested bytes from %d on, the server sent %q", have, sent))
		}
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		busy := code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable
		if busy && err == nil && seconds > 0 && seconds <= 300 {
			return backoff.RetryAfter(seconds)
		}
		return errors.New(response.Status)
	default:
		return backoff.Permanent(fmt.Errorf("%s from %s", response.Status, response.Request.URL.Redacted()))
	}
	if length := response.ContentLength; length >= 0 && start+length != file.Size {
		return backoff.Permanent(fmt.Errorf("the file there has %d bytes, want %d: it is not the pinned one",
			start+length, file.Size))
	}
	to, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return backoff.Permanent(err)
	}
	defer to.Close()
	if err := errors.Join(to.Truncate(start), to.Sync()); err != nil {
		return backoff.Permanent(err)
	}
	buffer := make([]byte, 64<<10)
	for done := start; done < file.Size; {
		n, failed := response.Body.Read(buffer[:min(int64(len(buffer)), file.Size-done)])
		silence.Reset(d.Idle)
		if _, err := to.WriteAt(buffer[:n], done); err != nil {
			return err
		}
		done += int64(n)
		d.report(file, done, "")
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(failed, io.EOF) && done < file.Size {
			return fmt.Errorf("the connection ended at %d of %d bytes", done, file.Size)
		}
		if failed != nil && done < file.Size {
			return failed
		}
	}
	return to.Close()
}
