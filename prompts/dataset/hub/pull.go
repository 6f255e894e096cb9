package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/prompts/dataset"
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

const (
	defaultTries = 6
	defaultIdle  = time.Minute
)

// Pull downloads what is not there yet, checks it and imports it. If ctx ends, what has arrived stays for the next
// pull. If the set is imported already, Pull returns its manifest without a request.
func Pull(ctx context.Context, source Source, o Options) (dataset.Manifest, error) {
	folder := o.Folder
	if folder == "" {
		var err error
		if folder, err = dataset.Folder(); err != nil {
			return dataset.Manifest{}, err
		}
	}
	if manifest, err := imported(source, folder); err != nil || manifest.Name != "" {
		return manifest, err
	}
	p, err := newPuller(source, folder, o)
	if err != nil {
		return dataset.Manifest{}, err
	}
	var paths []string
	for _, file := range source.Files {
		target := filepath.Join(p.partials, path.Base(file.Path))
		if err := p.fetch(ctx, file, target); err != nil {
			return dataset.Manifest{}, fmt.Errorf("%s: %w", file.Path, err)
		}
		p.before += file.Size
		paths = append(paths, target)
	}
	manifest, err := dataset.Import(source.Name, paths, dataset.ImportOptions{
		Options: dataset.Options{Folder: folder}, Source: p.from(source), Replace: o.Replace,
	})
	if err != nil {
		return dataset.Manifest{}, err
	}
	if err := os.RemoveAll(filepath.Dir(p.partials)); err != nil {
		return manifest, fmt.Errorf("the set is imported, but its download remains: %w", err)
	}
	return manifest, nil
}

// imported returns the manifest of the set if it is imported with the pinned bytes, else a zero one.
func imported(source Source, folder string) (dataset.Manifest, error) {
	manifests, err := dataset.List(folder)
	if err != nil {
		return dataset.Manifest{}, err
	}
	for _, manifest := range manifests {
		pinned := slices.EqualFunc(manifest.Splits, source.Files, func(s dataset.Split, f File) bool { return s.SHA256 == f.SHA256 })
		if manifest.Name == source.Name && pinned {
			return manifest, nil
		}
	}
	return dataset.Manifest{}, nil
}

// A puller downloads one source.
type puller struct {
	Options
	address  func(File) string
	partials string // folder of unfinished and finished downloads, one for each revision
	before   int64  // bytes of the files already finished
	total    int64
}

// shown is an address as people may see it, quoted; empty where it may have a password.
func shown(address string) string {
	if strings.Contains(address, "@") {
		return ""
	}
	return strconv.Quote(address) + " "
}

func newPuller(source Source, folder string, o Options) (*puller, error) {
	o = o.filled()
	base, err := o.Hub.base(o.Endpoint)
	if err != nil {
		return nil, err
	}
	p := &puller{
		Options:  o,
		address:  func(file File) string { return base + o.Hub.file(&source, &file) },
		partials: filepath.Join(folder, ".pull", source.Revision),
	}
	for _, file := range source.Files {
		p.total += file.Size
	}
	if err := os.MkdirAll(p.partials, 0o755); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	return p, nil
}

// from names a source for people, with the hub where that is not the usual one.
func (o *Options) from(source Source) string {
	if o.Hub.Name != Hubs[0].Name {
		return source.String() + " from " + o.Hub.Name
	}
	return source.String()
}

// filled has the defaults of what is left open.
func (o Options) filled() Options {
	if o.Hub.Name == "" {
		o.Hub = Hubs[0]
	}
	if o.Client == nil {
		o.Client = &http.Client{} // http.DefaultTransport reads HTTPS_PROXY and NO_PROXY
	}
	o.Tries = cmp.Or(o.Tries, defaultTries)
	o.Idle = cmp.Or(o.Idle, defaultIdle)
	if o.Pause == nil {
		o.Pause = backoff.NewExponentialBackOff()
	}
	return o
}

// Fetch downloads any file to a path as Pull does its own: checked, and from where an earlier attempt stopped.
func Fetch(ctx context.Context, address string, file File, to string, o Options) error {
	p := &puller{Options: o.filled(), address: func(File) string { return address }, total: file.Size}
	if err := p.fetch(ctx, file, to); err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	return nil
}

// fetch repeats attempts until the file is whole. Only attempts that bring nothing count as failed: a bad line that
// drops every few seconds still gets there.
func (p *puller) fetch(ctx context.Context, file File, target string) error {
	fruitless := 0
	attempt := func() (none struct{}, err error) {
		before := sizeOf(target)
		if err = p.attempt(ctx, file, target); err == nil || ctx.Err() != nil {
			return none, err
		}
		if fruitless++; sizeOf(target) > before {
			fruitless = 1
			p.Pause.Reset()
		}
		var final *backoff.PermanentError
		var unknown *net.DNSError // a host that is unknown twice stays so
		if (fruitless >= p.Tries || fruitless >= 2 && errors.As(err, &unknown)) && !errors.As(err, &final) {
			return none, backoff.Permanent(fmt.Errorf("%w (gave up after %d attempts; pull again to go on from here)", err, fruitless))
		}
		return none, err
	}
	again := func(err error, pause time.Duration) {
		p.report(file, sizeOf(target), fmt.Sprintf("%v; trying again in %s", err, pause.Round(100*time.Millisecond)))
	}
	_, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(p.Pause), backoff.WithMaxElapsedTime(0), backoff.WithNotify(again))
	return err
}

func (p *puller) report(file File, done int64, note string) {
	if p.Progress != nil {
		p.Progress(Progress{File: file.Path, Done: p.before + done, Total: p.total, Note: note})
	}
}

// sizeOf is 0 for a file that is not there.
func sizeOf(file string) int64 {
	if info, err := os.Stat(file); err == nil {
		return info.Size()
	}
	return 0
}
