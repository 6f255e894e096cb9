package hub

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// attempt makes one request for what the target lacks and checks the file once it is whole. An error that another
// attempt cannot mend is permanent.
func (p *puller) attempt(ctx context.Context, file File, target string) error {
	have := sizeOf(target)
	if have < file.Size {
		if err := p.download(ctx, file, target, have); err != nil {
			return err
		}
	}
	sum, err := digest(target)
	if err != nil {
		return backoff.Permanent(err)
	}
	if sum == file.SHA256 {
		p.report(file, file.Size, "")
		return nil
	}
	if err := os.Remove(target); err != nil {
		return backoff.Permanent(err)
	}
	wrong := fmt.Errorf("sha256 is %.12s…, want %.12s…: these are not the pinned bytes", sum, file.SHA256)
	if have > 0 {
		return wrong // the beginning may be of an older, damaged download: once more from the start
	}
	return backoff.Permanent(fmt.Errorf("%w; is a proxy or mirror changing them?", wrong))
}

// digest is a file's SHA-256 in hexadecimal.
func digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// download appends to the target from byte have on.
func (p *puller) download(ctx context.Context, file File, target string, have int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address(file), nil)
	if err != nil {
		return backoff.Permanent(err)
	}
	// Without this, Go's client asks for gzip and the range would count compressed bytes.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	silence := time.AfterFunc(p.Idle, func() { cancel(fmt.Errorf("no data for %s", p.Idle)) })
	defer silence.Stop()
	response, err := p.Client.Do(request)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	start, err := startOf(response, have)
	if err != nil {
		return err
	}
	if length := response.ContentLength; length >= 0 && start+length != file.Size {
		return backoff.Permanent(fmt.Errorf("the file there has %d bytes, want %d: it is not the pinned one", start+length, file.Size))
	}
	done := start
	body := io.TeeReader(io.LimitReader(response.Body, file.Size-start), watcher(func(n int) {
		silence.Reset(p.Idle)
		done += int64(n)
		p.report(file, done, "")
	}))
	if err := appendAt(target, start, body); err != nil {
		return cause(ctx, err)
	}
	if done < file.Size {
		return fmt.Errorf("the connection ended at %d of %d bytes", done, file.Size)
	}
	return nil
}

// watcher is a writer that reports how many bytes it gets.
type watcher func(n int)

func (w watcher) Write(b []byte) (int, error) {
	w(len(b))
	return len(b), nil
}

// startOf says at which byte the response's body begins: where the request said, or at 0 from a server without ranges.
func startOf(response *http.Response, have int64) (int64, error) {
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		return 0, nil
	case code == http.StatusPartialContent:
		if sent := response.Header.Get("Content-Range"); !strings.HasPrefix(sent, fmt.Sprintf("bytes %d-", have)) {
			return 0, backoff.Permanent(fmt.Errorf("requested bytes from %d on, the server sent %q", have, sent))
		}
		return have, nil
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if (code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable) && err == nil && seconds > 0 && seconds <= 300 {
			return 0, backoff.RetryAfter(seconds)
		}
		return 0, errors.New(response.Status)
	}
	return 0, backoff.Permanent(fmt.Errorf("%s from %s", response.Status, response.Request.URL.Redacted()))
}

// cause is why ctx was cancelled, if it was, since "context canceled" helps nobody.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func appendAt(target string, start int64, body io.Reader) error {
	f, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return backoff.Permanent(err)
	}
	defer f.Close()
	if err := errors.Join(f.Truncate(start), f.Sync()); err != nil {
		return backoff.Permanent(err)
	}
	if _, err := io.Copy(io.NewOffsetWriter(f, start), body); err != nil {
		return err
	}
	return f.Close()
}
