package mutations

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A fate is how a child ended.
type fate string

const (
	refused fate = "refused in one line"
	ran     fate = "ran"
	aborted fate = "ended by the abort handler"

	// These must not be.
	crashed fate = "crashed"
	hung    fate = "hung"
	bloated fate = "took too much memory"
)

var fates = []fate{refused, ran, aborted, crashed, hung, bloated}

// bad says whether a model file must not cause that.
func (f fate) bad() bool { return f == crashed || f == hung || f == bloated }

const (
	patience = 3 * time.Minute // wall clock, of a machine that others use, too
	slack    = 32 << 20        // bytes that reading any file takes: heaps, threads, buffers, the libraries of llama.cpp
	most     = 2 << 30         // bytes that a child may take at all
)

// An outcome is how a child ended, and why.
type outcome struct {
	fate
	why   string
	grown int64 // bytes that a refusal took
}

// watch has a program, started as a child, open a file of size bytes.
func watch(program, path string, size int64) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, program)
	child.Env = append(os.Environ(), childEnvironment+"="+path, "GOTRACEBACK=single")
	var out, said bytes.Buffer
	child.Stdout, child.Stderr = &out, &said
	if err := child.Start(); err != nil {
		return outcome{fate: crashed, why: err.Error()}
	}
	done := make(chan struct{})
	grown := make(chan bool, 1)
	go func() { grown <- killLarge(child.Process, done) }()
	err := child.Wait()
	close(done)
	if <-grown {
		return outcome{fate: bloated, why: fmt.Sprintf("more than %d bytes", int64(most))}
	}
	var v verdict
	switch decoded := json.Unmarshal(out.Bytes(), &v); {
	case ctx.Err() != nil:
		return outcome{fate: hung, why: fmt.Sprintf("no end after %s", patience)}
	case child.ProcessState.UserTime()+child.ProcessState.SystemTime() >= cpuSeconds*time.Second:
		return outcome{fate: hung, why: fmt.Sprintf("no end after computing for %d s", cpuSeconds)}
	case err != nil || decoded != nil:
		return outcome{fate: crashed, why: signature(said.String())}
	case strings.ContainsAny(v.Refused+v.Aborted, "\n\r"):
		return outcome{fate: crashed, why: fmt.Sprintf("more than one line: %q", v.Refused+v.Aborted)}
	case v.Aborted != "":
		return outcome{fate: aborted, why: strings.TrimPrefix(v.Aborted, path+": ")}
	case v.Refused != "" && v.Grown > 2*size+slack:
		return outcome{fate: bloated, why: fmt.Sprintf("%d bytes for a file of %d: %s", v.Grown, size, v.Refused)}
	case v.Refused != "":
		return outcome{refused, strings.TrimPrefix(v.Refused, path+": "), v.Grown}
	}
	return outcome{fate: ran, why: v.Failed}
}

// killLarge ends a process that takes more memory than any should, and says whether it had to.
func killLarge(p *os.Process, done <-chan struct{}) bool {
	for {
		select {
		case <-done:
			return false
		case <-time.After(100 * time.Millisecond):
		}
		var pages, resident int64
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.Pid))
		if err != nil {
			continue
		}
		if fmt.Sscan(string(statm), &pages, &resident); resident*int64(os.Getpagesize()) > most {
			p.Kill()
			return true
		}
	}
}

// signature is a crash in one line: the first line of the output, and the place.
func signature(said string) string {
	first, where := "", ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if first == "" {
			first = line
		}
		if where == "" && (strings.HasPrefix(line, "SIG") || strings.HasPrefix(line, "[signal") || strings.HasPrefix(line, "proctor/")) {
			where = line
		}
	}
	return first + " " + where
}
