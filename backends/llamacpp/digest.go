package llamacpp

import (
	"context"

	"proctor/backends/gguf"
)

// digest is the SHA-256 of a model's file, computed in the background.
type digest struct {
	stop context.CancelFunc
	done chan struct{} // closed when sum and err are set
	sum  string
	err  error
}

// startDigest starts to compute a file's digest, and calls progress for each part; a known digest is not computed again.
func startDigest(file *gguf.File, known string, progress func(bytes int)) *digest {
	ctx, stop := context.WithCancel(context.Background())
	d := &digest{stop: stop, done: make(chan struct{}), sum: known}
	if known != "" {
		close(d.done)
		return d
	}
	go func() {
		defer close(d.done)
		d.sum, d.err = file.SHA256(ctx, counter(progress))
	}()
	return d
}

// A counter is a writer that reports the number of bytes; nil reports nothing.
type counter func(bytes int)

func (c counter) Write(p []byte) (int, error) {
	if c != nil {
		c(len(p))
	}
	return len(p), nil
}

// Close stops the computation and waits for its end.
func (d *digest) Close() {
	d.stop()
	<-d.done
}

// wait returns the digest in hexadecimal.
func (d *digest) wait(ctx context.Context) (string, error) {
	select {
	case <-d.done:
		return d.sum, d.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
