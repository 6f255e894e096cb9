// Package chromiumtest opens files in a real Chromium without a window, as people open them from disk, and keeps what a page does
// there. Only tests import it.
//
// scripts/test.sh counts the tests that skip here, by the words of [Open].
package chromiumtest

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// names are those that the program goes by.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// A Page is a file or a server's page that is open in its own browser.
type Page struct {
	tb  testing.TB
	ctx context.Context

	mu       sync.Mutex
	said     []string // on the console, errors and warnings, and dialogs
	requests []string // for anything but what was opened
}

// A Window is the browser window that shows the file. The zero Window is 1280 by 900 pixels, light.
type Window struct {
	Width, Height int64
	Dark          bool
}

// Open opens a file, at a place in it where one is given without its "#", or skips the test where there is no Chromium.
func Open(tb testing.TB, file, place string, w Window) *Page {
	tb.Helper()
	absolute, err := filepath.Abs(file)
	if err != nil {
		tb.Fatal(err)
	}
	fragment, err := url.PathUnescape(place)
	if err != nil {
		tb.Fatal(err)
	}
	return Visit(tb, url.URL{Scheme: "file", Path: absolute, Fragment: fragment, RawFragment: place}, w)
}

// Visit opens what is at an address, or skips the test where there is no Chromium.
func Visit(tb testing.TB, address url.URL, w Window) *Page {
	tb.Helper()
	var program string
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		tb.Skip("needs chromium, which is not here")
	}
	if w.Width == 0 {
		w.Width, w.Height = 1280, 900
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.WindowSize(int(w.Width), int(w.Height)))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(stop)
	ctx, leave := chromedp.NewContext(allocated)
	tb.Cleanup(leave)
	p := &Page{tb: tb, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) { p.hear(event, address) }); err != nil {
		tb.Fatal(err)
	}
	scheme := "light"
	if w.Dark {
		scheme = "dark"
	}
	// The tree of elements, which chromedp follows, would come through DevTools with all data that a document holds.
	p.Do(call(dom.Disable, cdp.Empty{}), call(network.Enable, network.EnableParams{}),
		call(log.Enable, cdp.Empty{}), call(runtime.Enable, cdp.Empty{}),
		call(page.Enable, page.EnableParams{}), chromedp.EmulateViewport(w.Width, w.Height),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}),
		chromedp.Navigate(address.String()))
	return p
}

// call is an action that sends the browser a command.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// hear keeps what the page does. It is called where the browser's messages are read, so that it must not wait for any.
func (p *Page) hear(event any, own url.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		address, err := url.Parse(e.Request.URL)
		if err != nil || address.Scheme != own.Scheme || address.Host != own.Host || address.Path != own.Path {
			p.requests = append(p.requests, e.Request.URL)
		}
	case *log.EventEntryAdded:
		p.said = append(p.said, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			p.said = append(p.said, fmt.Sprintf("console.%s: %s", e.Type, arg.Value))
		}
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *page.EventJavascriptDialogOpening:
		p.said = append(p.said, "dialog: "+e.Message)
		go chromedp.Do(p.ctx, call(page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}))
	}
}

// Do acts on the page.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.tb.Fatalf("%v; the page said %q", err, p.Said())
	}
}

// patience is how long an act may take.
const patience = time.Minute

// Ask is the value of an expression, or of what it promises.
func Ask[T any](p *Page, expression string) T {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.tb.Fatalf("%s: %v; the page said %q", expression, err, p.Said())
	}
	return value
}

// Text returns the text of the elements that a selector finds, one per line.
func (p *Page) Text(selector string) string {
	p.tb.Helper()
	return strings.Join(Ask[[]string](p, fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.innerText)", selector)), "\n")
}

// Wait waits until an expression holds. The page may load itself anew meanwhile.
func (p *Page) Wait(expression string) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && holds {
			return
		}
		if ctx.Err() != nil {
			p.tb.Fatalf("%s does not hold: %v; the page said %q", expression, err, p.Said())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Key presses keys.
func (p *Page) Key(keys string) {
	p.tb.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Said returns the page's messages to developers: errors and warnings of the browser, lines of the console, dialogs.
func (p *Page) Said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.said...)
}

// Requests are the addresses that the page requested, without its own.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}
