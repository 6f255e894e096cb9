package sweep

import (
	"context"
	"path/filepath"
	"time"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// A Forecast is what a sweep is going to do, as far as that is known before anything is made or asked.
type Forecast struct {
	Questions  int                 `json:"questions"` // items each candidate is asked
	Bytes      int64               `json:"bytes"`     // of the models to be made
	Folder     string              `json:"cache,omitempty"`
	Candidates []CandidateForecast `json:"candidates"`
}

// A CandidateForecast is that of one candidate.
type CandidateForecast struct {
	Name    string       `json:"name"`
	Make    int64        `json:"make_bytes,omitempty"` // of its model, where that is to be made
	File    string       `json:"file,omitempty"`
	Memory  int64        `json:"memory_bytes,omitempty"`
	Seconds stats.Number `json:"seconds,omitzero"`
	Source  string       `json:"seconds_source"` // what they rest on, or why they are unknown
	Failed  string       `json:"failed,omitempty"`
}

// Forecast says what Begin and Run would do. Models that are there are opened, and asked nothing; of one that is to be made the memory
// is that of the source's but for the weights.
func (s *Sweep) Forecast(ctx context.Context, d *Document) (*Forecast, error) {
	f := &Forecast{Questions: s.Basis.Items()}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		one := CandidateForecast{Name: c.Name, Source: "known once the model is made"}
		path := ""
		if c.Type != "" {
			f.Folder, path = s.Cache.Folder, s.Cache.Path(*d.Source, c.Type)
			one.File = path
			if !s.Cache.Has(*d.Source, c.Type) {
				var err error
				if one.Make, err = s.Cache.Estimate(*d.Source, c.Type); err != nil {
					one.Failed = err.Error()
				} else if base := f.memoryOfFirst(); base > 0 {
					one.Memory = max(0, base-d.Source.Bytes+one.Make)
				}
				f.Bytes += one.Make
				f.Candidates = append(f.Candidates, one)
				continue
			}
		}
		known, err := s.forecast(ctx, c, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			one.Failed, one.Source = err.Error(), "it cannot be asked"
		} else {
			one.Memory, one.Seconds, one.Source = known.Bytes, known.Seconds, known.Source
		}
		f.Candidates = append(f.Candidates, one)
	}
	if f.Bytes > 0 {
		return f, s.Cache.Room(f.Bytes)
	}
	return f, nil
}

func (f *Forecast) memoryOfFirst() int64 {
	if len(f.Candidates) == 0 {
		return 0
	}
	return f.Candidates[0].Memory
}

// forecast is that of a candidate's run.
func (s *Sweep) forecast(ctx context.Context, c *Progress, path string) (*ask.Forecast, error) {
	model, err := s.Models.Open(ctx, c.Candidate, path, backends.EngineInfo{})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	session := &ask.Session{Out: filepath.Join(s.Out, c.Run), Version: s.Version, Host: s.Host, Now: s.Now, Warn: s.warn}
	if err := session.PlanOn(s.Basis, ask.Until{}, false); err != nil {
		return nil, err
	}
	form := s.Form
	if c.Prompt != "" {
		form.Mode = c.Prompt
	}
	return session.Forecast(ctx, model, form)
}

// ForecastFormats are the ways of writing a forecast, the default first.
var ForecastFormats = page.FormatsOf((*Forecast).page)

func (f *Forecast) page() page.Page {
	p := page.Page{Title: "Dry run: nothing was made or asked, nothing is written"}
	s := page.Section{Title: "Candidates", Table: &page.Grid{Head: []string{"candidate", "to be made", "memory", "time", ""}}}
	for _, c := range f.Candidates {
		took := format.Undefined
		if seconds, known := c.Seconds.Get(); known {
			took = time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
		}
		rest := c.Source
		if c.Failed != "" {
			rest = "fails: " + c.Failed
		}
		s.Table.Add(c.Name, format.Size(c.Make, "no"), format.Size(c.Memory, format.Undefined), took, rest)
	}
	s.Notes = []string{format.Several(f.Questions, "item") + " each, one candidate after the other"}
	if f.Bytes > 0 {
		s.Notes = append(s.Notes, "to be made: "+format.Size(f.Bytes, "")+" in "+f.Folder)
	}
	p.Add(s)
	return p
}
