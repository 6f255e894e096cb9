package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/scripts/tests/chromiumtest"
)

// serving is a server at an address that shows a run of which so many items are answered, and the run's folder.
func serving(t *testing.T, address string, answered int) (*Server, string, *progress.State, []journal.Record) {
	t.Helper()
	h, records := journaltest.MCQ(60, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	s, err := Listen(address)
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close() })
	folder := filepath.Join(t.TempDir(), "run")
	h.Selection.Items = 60
	journaltest.Keep(t, folder, h, records[:answered])
	state := progress.New(&h, []progress.Subject{{Name: "biology", Items: 30}, {Name: "law", Items: 30}}, time.Now())
	s.Begin(folder, state.At(time.Now()))
	for i := range records[:answered] {
		state.Add(&records[i])
	}
	s.Update(state.At(time.Now()))
	return s, folder, state, records
}

// ask sends a request with headers, of which Host is one.
func ask(t *testing.T, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	assert.NilError(t, err)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	assert.NilError(t, err)
	defer response.Body.Close()
	if strings.HasSuffix(address, "/events") && response.StatusCode == http.StatusOK {
		return response, ""
	}
	body, err := io.ReadAll(response.Body)
	assert.NilError(t, err)
	return response, string(body)
}

func TestTheReportIsTheSameAsOfTheJournal(t *testing.T) {
	s, folder, _, _ := serving(t, "127.0.0.1:0", 25)
	summary, err := metrics.Open(folder, metrics.Options{})
	assert.NilError(t, err)
	format, err := report.Formats.Named("html")
	assert.NilError(t, err)
	var want bytes.Buffer
	assert.NilError(t, format.Write(&want, summary))
	response, got := ask(t, "GET", s.Address+"report/0")
	assert.Check(t, got == want.String() && response.StatusCode == http.StatusOK, "%s and %d bytes, not %d", response.Status, len(got), want.Len())
	response, got = ask(t, "HEAD", s.Address+"report/0")
	assert.Check(t, got == "" && response.ContentLength == int64(want.Len()), "%d bytes named, %d given", response.ContentLength, len(got))
	response, got = ask(t, "GET", s.Address)
	assert.Check(t, is.Contains(got, "EventSource"))
	assert.Check(t, is.Contains(response.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'"))
}

func TestOnlyWhoIsMeantIsAnswered(t *testing.T) {
	s, _, _, _ := serving(t, "127.0.0.1:0", 5)
	port := s.Port
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		want         int
	}{
		"its address":                  {"GET", "", nil, 200},
		"another of its addresses":     {"GET", "", []string{"Host", "[::1]:" + port}, 200},
		"localhost":                    {"GET", "", []string{"Host", "localhost:" + port}, 200},
		"its own page":                 {"GET", "events", []string{"Origin", "http://127.0.0.1:" + port}, 200},
		"a link on another page":       {"GET", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		"a name that points here":      {"GET", "", []string{"Host", "evil.example:" + port}, 403},
		"such a name without its port": {"GET", "report/0", []string{"Host", "evil.example"}, 403},
		"an address elsewhere":         {"GET", "", []string{"Host", "192.0.2.7:" + port}, 403},
		"another port":                 {"GET", "", []string{"Host", "127.0.0.1:1"}, 403},
		"another page's script":        {"GET", "report/0", []string{"Origin", "http://evil.example"}, 403},
		"a script of another scheme":   {"GET", "events", []string{"Origin", "https://127.0.0.1:" + port}, 403},
		"a page of no origin":          {"GET", "report/0", []string{"Origin", "null"}, 403},
		"another page's picture":       {"GET", "report/0", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		"a write":                      {"POST", "report/0", nil, 405},
		"another write":                {"DELETE", "", nil, 405},
		"what is asked before a write": {"OPTIONS", "", []string{"Origin", "http://127.0.0.1:" + port}, 405},
		"a task that is not there":     {"GET", "report/1", nil, 404},
		"no task":                      {"GET", "report/-1", nil, 404},
		"a file":                       {"GET", "report/0/../../etc/passwd", nil, 404},
	} {
		response, body := ask(t, c.method, s.Address+c.path, c.headers...)
		assert.Check(t, response.StatusCode == c.want, "%s: %s, want %d: %.80s", name, response.Status, c.want, body)
		for header, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": ""} {
			assert.Check(t, is.Equal(response.Header.Get(header), want), "%s: %s", name, header)
		}
	}
}

func TestBeyondTheMachineOneNeedsTheSecret(t *testing.T) {
	s, _, _, _ := serving(t, "0.0.0.0:0", 5)
	local := "http://127.0.0.1:" + s.Port
	assert.Assert(t, len(s.Base) >= 24, "the secret is %q", s.Base)
	for path, want := range map[string]int{
		s.Base: 200, s.Base + "report/0": 200, "/": 404, "/report/0": 404, "/events": 404, strings.ToLower(s.Base): 404,
		s.Base[:len(s.Base)-1]: 404, "/" + s.Base: 404, "/x" + s.Base[2:]: 404,
	} {
		response, _ := ask(t, "GET", local+path)
		assert.Check(t, response.StatusCode == want, "%s: %s, want %d", path, response.Status, want)
	}
	response, _ := ask(t, "GET", local+s.Base, "Host", "evil.example:"+s.Port)
	assert.Check(t, response.StatusCode == http.StatusForbidden, "a name that points here gets %s", response.Status)
	other, err := Listen("0.0.0.0:0")
	assert.NilError(t, err)
	defer other.Close()
	assert.Check(t, other.Base != s.Base, "two servers have the same secret")
}

func TestEventsReportProgressAndTheEnd(t *testing.T) {
	s, folder, state, records := serving(t, "127.0.0.1:0", 5)
	response, err := http.Get(s.Address + "events")
	assert.NilError(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() (now standing) {
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				assert.NilError(t, json.Unmarshal([]byte(text), &now))
				return now
			}
		}
		t.Fatal("the events end")
		return now
	}
	first := next()
	assert.Check(t, first.Done == 5 && first.Total == 60 && len(first.Due) == 1 && !first.Ended &&
		strings.Contains(first.Line, "accuracy 100.00 %"), "first %+v", first)
	_, text := ask(t, "GET", s.Address+"report/0")
	assert.Check(t, strings.Contains(text, "5 questions"), "the report is not of 5 questions")
	state.Add(&records[5])
	s.Update(state.At(time.Now()))
	for now := next(); now.Done != 6 || len(now.Due) != 0; now = next() {
	}
	writer, _, err := journaltest.Resume(folder, headerOf(t, folder))
	assert.NilError(t, err)
	assert.NilError(t, writer.Append(records[5]))
	assert.NilError(t, writer.Close())
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	now := next()
	for ; !now.Ended; now = next() {
	}
	assert.Check(t, len(now.Due) == 1, "at the end %+v", now)
	_, text = ask(t, "GET", s.Address+"report/0")
	assert.Check(t, strings.Contains(text, "6 questions"), "the last report is not of 6 questions")
	response.Body.Close()
	assert.Check(t, <-closed)
	if connection, err := net.Dial("tcp", "127.0.0.1:"+s.Port); !assert.Check(t, err != nil, "it listens after its end") {
		connection.Close()
	}
	assert.Check(t, s.Close(), "closing it again")
}

func headerOf(t *testing.T, folder string) journal.Header {
	t.Helper()
	run, err := journal.Open(folder)
	assert.NilError(t, err)
	defer run.Close()
	return run.Header
}

func TestAServerEndsThoughABrowserStays(t *testing.T) {
	t.Parallel() // it waits for the browser as long as a server does
	s, _, _, _ := serving(t, "127.0.0.1:0", 5)
	response, err := http.Get(s.Address + "events")
	assert.NilError(t, err)
	defer response.Body.Close()
	assert.Check(t, s.Close())
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	for address, want := range map[string]string{
		"": "is not an address to serve at", "a:b:c": "is not an address to serve at", "127.0.0.1:": "is not an address to serve at",
		"127.0.0.1:99999": "can't serve at 127.0.0.1:99999", "192.0.2.1:0": "can't serve at 192.0.2.1:0",
	} {
		s, err := Listen(address)
		assert.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %v %v", address, s, err)
	}
	for _, address := range []string{"0", ":0", "localhost:0", "[::1]:0"} {
		s, err := Listen(address)
		assert.NilError(t, err, address)
		assert.Check(t, s.Base == "/", "%q is served beyond the machine", address)
		s.Close()
	}
}

func TestABrowserFollowsTheRunToItsEnd(t *testing.T) {
	s, folder, state, records := serving(t, "0.0.0.0:0", 20)
	address, err := url.Parse("http://127.0.0.1:" + s.Port + s.Base)
	assert.NilError(t, err)
	p := chromiumtest.Visit(t, *address, chromiumtest.Window{})
	const inside = `document.querySelector("iframe").contentDocument`
	p.Wait(inside + `.querySelector("#items.ready") && ` + inside + `.title.includes("20 questions")`)
	p.Wait(`document.querySelector("#line").textContent.startsWith("mmlu_pro 20/60")`)
	// What the reader looks at stays while the report grows.
	chromiumtest.Ask[bool](p, `(() => { const w = document.querySelector("iframe").contentWindow; w.location.hash = "#subject=law";
		w.scrollTo(0, 300); return true; })()`)
	writer, _, err := journaltest.Resume(folder, headerOf(t, folder))
	assert.NilError(t, err)
	defer writer.Close()
	answer := func(records []journal.Record) {
		for i := range records {
			assert.NilError(t, writer.Append(records[i]))
			state.Add(&records[i])
		}
		s.Update(state.At(time.Now()))
	}
	answer(records[20:40])
	p.Wait(`document.querySelector("#line").textContent.startsWith("mmlu_pro 40/60")`)
	s.tasks[0].mu.Lock()
	s.tasks[0].after = time.Now() // nobody waits
	s.tasks[0].mu.Unlock()
	p.Wait(inside + `.title.includes("40 questions") && ` + inside + `.querySelector("#items.ready")`)
	p.Wait(`document.querySelector("iframe").contentWindow.scrollY > 200`)
	hash := chromiumtest.Ask[string](p, `document.querySelector("iframe").contentWindow.location.hash`)
	assert.Check(t, hash == "#subject=law", "the reader's filter became %q", hash)
	bar := chromiumtest.Ask[float64](p, `document.querySelector("progress").position`)
	assert.Check(t, bar >= 0.66 && bar <= 0.67, "the bar is at %g", bar)
	answer(records[40:])
	assert.Check(t, s.Close())
	p.Wait(inside + `.title.includes("60 questions") && document.querySelector("#line").textContent.endsWith("the run has ended")`)
	assert.Check(t, is.Len(p.Said(), 0))
	for _, url := range p.Requests() {
		assert.Check(t, strings.HasPrefix(url, address.String()), "the page asked for %q", url)
	}
}
