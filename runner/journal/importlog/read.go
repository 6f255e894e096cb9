package importlog

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"proctor/backends/setting"
	"proctor/prompts/task"
)

// Read reads one log: a file, several files that belong together, or the folder that a harness wrote. Errors name the file and the
// element in it, counted from 1.
func Read(paths ...string) (*Log, error) {
	c := collector{latest: map[int]int{}, numbers: map[string]int{}}
	for _, path := range paths {
		if err := c.file(path); err != nil {
			return nil, err
		}
	}
	if len(c.samples) == 0 {
		return nil, fmt.Errorf("%s holds no samples", strings.Join(paths, ", "))
	}
	l, err := assemble(c.samples, c.header())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
	}
	return l, nil
}

// A collector gathers samples from files.
type collector struct {
	files   []string // that it read
	notes   []string // what it left
	samples []sample
	latest  map[int]int // the index of the latest sample of each question's id
	format  string      // of all samples so far
	written time.Time   // when the newest of the files was

	numbers map[string]int // the ids of questions that the log does not number, by their texts
	found   int            // the last of these that is a published question's
	missed  int            // questions in a row that are not the published ones
}

func (c *collector) file(name string) error {
	f, err := setting.OpenRegular(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return c.folder(name)
	}
	c.files = append(c.files, name)
	magic := make([]byte, 4)
	if _, err := f.ReadAt(magic, 0); err == nil && string(magic) == "PK\x03\x04" {
		return c.archive(name, f, info.Size())
	}
	c.wrote(info.ModTime())
	return c.stream(name, &bounded{from: f, left: math.MaxInt64})
}

func (c *collector) archive(name string, f *os.File, size int64) error {
	if path.Ext(name) == ".eval" {
		return fmt.Errorf("%s: %s", name, notImported)
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	found := false
	expanded := &bounded{left: maxExpanded}
	for _, member := range z.File {
		if ext := path.Ext(member.Name); ext != ".json" && ext != ".jsonl" || strings.HasPrefix(member.Name, "__MACOSX/") {
			continue
		}
		found = true
		in, err := member.Open()
		if err != nil {
			return fmt.Errorf("%s/%s: %w", name, member.Name, err)
		}
		c.wrote(member.Modified)
		expanded.from = in
		err = c.stream(name+"/"+member.Name, expanded)
		in.Close()
		if err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s: the archive holds no .json or .jsonl file", name)
	}
	return nil
}

func (c *collector) wrote(t time.Time) {
	if t.After(c.written) {
		c.written = t.UTC()
	}
}

// otherStart is how the logs of Inspect and llama-eval begin.
var otherStart = regexp.MustCompile(`^\{\s*"(?:version"\s*:|id"\s*:\s*"[^"]*"\s*,\s*"(?:model_name|tasks)")`)

const notImported = "a log of Inspect or llama-eval: only those of MMLU-Pro's scripts, lm-eval, evalscope and " +
	"OpenCompass can be imported"

const (
	maxElement  = 16 << 20 // bytes of one element; the longest of real logs have some 100 kB
	maxExpanded = 1 << 30  // bytes of an archive's files; real logs have up to some 250 MB
)

// bounded limits the size of an element, and of all files together: a few bytes of an archive can unpack to more than the memory
// holds.
type bounded struct {
	from    io.Reader
	left    int64 // of all files
	element int64 // read since it began
}

func (b *bounded) Read(p []byte) (int, error) {
	switch {
	case b.element > maxElement:
		return 0, fmt.Errorf("is larger than %d MiB: is this a log?", maxElement>>20)
	case b.left <= 0:
		return 0, fmt.Errorf("the archive's files are larger than %d GiB: unpack it and give the files, if it is a log", maxExpanded>>30)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.element += int64(n)
	return n, err
}

// stream reads a JSON array of samples, or samples one after another.
func (c *collector) stream(name string, in *bounded) error {
	buf := bufio.NewReaderSize(in, 64<<10)
	first, err := firstByte(buf)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	dec := json.NewDecoder(buf)
	switch first {
	case '[':
		if _, err := dec.Token(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case '{':
		start, _ := buf.Peek(256)
		if otherStart.Match(start) {
			return fmt.Errorf("%s: %s", name, notImported)
		}
		if predictionsStart.Match(start) {
			if err := c.predictions(name, in, dec); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
	default:
		return fmt.Errorf("%s: neither a JSON array nor JSON Lines: "+
			"is it a log of another harness? proctor help import lists them", name)
	}
	for n := 1; first == '{' || dec.More(); n++ {
		in.element = 0
		err := c.decode(name, dec)
		if first == '{' && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: element %d: %w", name, n, cutOff(err))
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%s: after its last element: %w", name, cutOff(err))
	}
	return nil
}

func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the file ends in the middle: fetch it again")
	}
	return err
}

// firstByte peeks at the first byte after a byte order mark and white space, which it skips.
func firstByte(in *bufio.Reader) (byte, error) {
	for n := 0; ; n++ {
		r, _, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return 0, errors.New("the file is empty")
		case err != nil:
			return 0, err
		case n == 0 && r == '\ufeff' || strings.ContainsRune(" \t\r\n", r):
			continue
		}
		return byte(min(r, utf8.RuneSelf)), in.UnreadRune()
	}
}

func (c *collector) decode(name string, dec *json.Decoder) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	e := element{gjson.ParseBytes(bytes.ToValidUTF8(raw, []byte("\uFFFD")))}
	if err := e.scoresAlone(name); err != nil {
		return err
	}
	return c.add(e, subjectOf(name))
}

// strange is the number of unpublished questions in a row after which published ones are no longer searched for.
const strange = 20

// number gives a sample's question an id where the log has none: the published question's, else the next. The same question has the
// same id, in any order of its options, and each of its samples is another completion.
func (c *collector) number(s *sample) {
	key := s.content()
	id, known := c.numbers[key]
	if !known {
		if id = len(c.numbers); c.missed < strange {
			if found, ok := task.FindPublished(s.question, s.options, c.found+1); ok {
				id, c.found, c.missed = found, found, 0
			} else {
				c.missed++
			}
		}
		c.numbers[key] = id
	}
	s.id, s.asking = id, len(c.samples)
	s.oddity = "The log does not number its questions: they have the published ones' ids, or count."
}

func (c *collector) add(e element, subject string) error {
	s, format, err := e.sample(subject)
	if err != nil {
		return err
	}
	if s.id == unnumbered {
		c.number(&s)
	}
	if s.subject == "" {
		s.subject = "general knowledge"
	}
	if c.format != "" && c.format != format {
		return fmt.Errorf("is a %s sample among %s samples: import the two logs one by one", format, c.format)
	}
	if i, seen := c.latest[s.id]; seen && s.content() != c.samples[i].content() {
		return fmt.Errorf("question %d of %s is another one than question %d of %s before it, and a run tells questions apart by "+
			"their ids: import the log of each subject as a run of its own, or number the questions", s.id, s.subject, s.id,
			c.samples[i].subject)
	}
	c.format, c.latest[s.id] = format, len(c.samples)
	s.detach()
	c.samples = append(c.samples, s)
	for i, text := range s.others {
		s.text, s.asking = text, i+1
		c.samples = append(c.samples, s)
	}
	return nil
}

// detach copies the sample's texts, which would otherwise keep their whole element in memory.
func (s *sample) detach() {
	texts := []*string{&s.question, &s.gold, &s.subject, &s.prompt}
	if s.about != nil {
		texts = append(texts, &s.about.option)
	}
	for i := range s.options {
		texts = append(texts, &s.options[i])
	}
	for _, text := range append(s.others, s.text) {
		if text != nil {
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		*text = strings.Clone(*text)
	}
}

// content is equal for samples of one question, in whatever order its options are.
func (s *sample) content() string {
	return fmt.Sprintf("%q", append([]string{s.subject, s.question}, slices.Sorted(slices.Values(s.options))...))
}
