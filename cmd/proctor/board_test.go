package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
)

// keepRuns keeps made-up runs in a folder, as proctor does.
func keepRuns(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		h, records := journaltest.Examples()[name]()
		h.Model.Name = fmt.Sprintf("model_%d", i)
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records)
	}
	return dir
}

// served starts a server for a folder of runs, and gives its address and what ends it as Ctrl-C does.
func served(t *testing.T, dir string) (address url.URL, interrupt func() int) {
	t.Helper()
	cmd := exec.Command("proctor", "runs", "--serve", "--port", "0", dir)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(line))
	if err != nil || at.Hostname() != "127.0.0.1" {
		t.Fatalf("%q, %v", line, err)
	}
	return *at, func() int {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
}

func TestRunsAreServedToThisMachineUntilAnInterrupt(t *testing.T) {
	dir := keepRuns(t, "mcq", "binary")
	address, interrupt := served(t, dir)
	get := func(path, host string) (int, string) {
		request, err := http.NewRequest(http.MethodGet, address.JoinPath(path).String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		first, _ := bufio.NewReader(answer.Body).ReadString('\n')
		return answer.StatusCode, first
	}
	for _, row := range []struct {
		path, host string
		status     int
		first      string
	}{
		{"/", address.Host, http.StatusOK, "<!doctype html>\n"},
		{"/", "localhost:" + address.Port(), http.StatusOK, "<!doctype html>\n"},
		{"/", "example.org:" + address.Port(), http.StatusForbidden, "this is not an address of proctor's\n"},
		{"/mcq/report.html", address.Host, http.StatusOK, "<!doctype html>\n"},
		{"/mcq/journal.jsonl", address.Host, http.StatusNotFound, "mcq/journal.jsonl is not a report of a run in " + dir + ": file does not exist\n"},
		{"/..%2F..%2Fetc%2Fpasswd", address.Host, http.StatusNotFound, ""},
	} {
		status, first := get(row.path, row.host)
		if status != row.status || row.first != "" && first != row.first {
			t.Errorf("%s of %s: %d %q", row.path, row.host, status, first)
		}
	}
	if err := os.Rename(filepath.Join(dir, "binary"), filepath.Join(dir, "later")); err != nil {
		t.Fatal(err)
	}
	if status, _ := get("/later/report.html", address.Host); status != http.StatusOK {
		t.Errorf("a run that came later: %d", status)
	}
	if code := interrupt(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestABoardIsFilteredAndSortedInABrowser(t *testing.T) {
	address, _ := served(t, keepRuns(t, "mcq", "binary", "circular"))
	for _, w := range []chromiumtest.Window{{}, {Width: 390, Height: 844, Dark: true}} {
		p := chromiumtest.Visit(t, address, w)
		p.Wait(`document.querySelector("[role=status]")?.textContent === "3 of 3 runs"`)
		p.Readable(w)
		p.Keep(fmt.Sprintf("runs-%d", w.Width))
		names := func() string { return strings.ReplaceAll(p.Text("#all-runs tbody tr:not([hidden]) th"), "\n", " ") }
		sorted := func(column int) string {
			chromiumtest.Ask[bool](p, fmt.Sprintf(`(document.querySelectorAll("#all-runs thead th button")[%d].click(), true)`, column))
			return names()
		}
		upwards := sorted(0)
		if backwards := sorted(0); backwards == upwards || len(backwards) != len(upwards) {
			t.Errorf("by name %q, then %q", upwards, backwards)
		}
		sorted(1)
		scores := strings.Fields(strings.ReplaceAll(p.Text("#all-runs tbody td:nth-child(3)"), "%", ""))
		if len(scores) != 3 || scores[0] < scores[1] || scores[1] < scores[2] {
			t.Errorf("by score: %q", scores)
		}
		chromiumtest.Ask[bool](p, `(() => { const i = document.querySelector("#all-runs input"); i.value = "MODEL_1 binary";
			i.dispatchEvent(new Event("input")); return true; })()`)
		if got := names(); !strings.HasSuffix(got, "binary") || strings.Contains(got, " ") {
			t.Errorf("with the words are %q", got)
		}
		link, err := address.Parse(chromiumtest.Ask[string](p, `document.querySelector("#all-runs tbody tr:not([hidden]) a").getAttribute("href")`))
		if err != nil {
			t.Fatal(err)
		}
		report := chromiumtest.Visit(t, *link, w)
		report.Wait(`document.querySelector("#items.ready") && location.pathname === "/binary/report.html"`)
	}
}
