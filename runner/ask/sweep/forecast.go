package sweep

import (
	"context"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// A Forecast is what can be known of a sweep before anything is made or asked.
type Forecast struct {
	Questions  int                 `json:"questions"` // items for each candidate
	Bytes      int64               `json:"bytes"`     // of the models to be made
	Folder     string              `json:"cache,omitempty"`
	Candidates []CandidateForecast `json:"candidates"`
}

// A CandidateForecast is the forecast for one candidate.
type CandidateForecast struct {
	Name   string `json:"name"`
	Make   int64  `json:"make_bytes,omitempty"` // size of its model, where that has to be made
	File   string `json:"file,omitempty"`
	Memory int64  `json:"memory_bytes,omitempty"`
	ask.Takes
	Source string `json:"seconds_source"` // what the seconds are based on, or why they are unknown
	Failed string `json:"failed,omitempty"`

	decoding float64 // seconds
}

// scale estimates the memory and time of a model of this many bytes that will be made from another. Each token's step reads all
// weights, so smaller weights shorten decoding.
func (c *CandidateForecast) scale(from CandidateForecast, bytes int64) {
	if from.Memory > 0 {
		c.Memory = max(0, from.Memory-bytes+c.Make)
	}
	if seconds := from.Seconds.Or(0); seconds > 0 && bytes > 0 {
		c.Takes = from.Times(1 - from.decoding/seconds*(1-float64(c.Make)/float64(bytes)))
		c.Source = "from the first's, by size"
	}
}

// Forecast says what Begin and Run would do. Existing models are opened, but not asked anything. A model that will be made is assumed
// to take the source's memory, except for its weights.
func (s *Sweep) Forecast(ctx context.Context, d *Document) (*Forecast, error) {
	f := &Forecast{Questions: s.Items}
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
				} else if len(f.Candidates) > 0 {
					one.scale(f.Candidates[0], d.Source.Bytes)
				}
				f.Bytes += one.Make
				f.Candidates = append(f.Candidates, one)
				continue
			}
		}
		evals, err := s.asks(&s.Spec.Spec)
		if err != nil {
			return nil, err
		}
		known, err := ask.Foresee(ctx, s.options(c), evals, func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
			return s.Open(ctx, c.Candidate, Opening{Path: path, Earlier: earlier})
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			one.Failed, one.Source = err.Error(), "it cannot be asked"
		} else {
			one.Memory, one.Takes, one.Source, one.decoding = known.Bytes, known.Takes, known.Source, known.Decoding.Or(0)
		}
		f.Candidates = append(f.Candidates, one)
	}
	if f.Bytes > 0 {
		return f, s.Cache.Room(f.Bytes)
	}
	return f, nil
}

// ForecastFormats are the ways of writing a forecast, the default first.
var ForecastFormats = page.FormatsOf((*Forecast).page)

func (f *Forecast) page() page.Page {
	p := page.Page{Title: "Dry run: nothing was made or asked, nothing is written"}
	s := page.Section{Title: "Candidates", Table: &page.Grid{Head: []string{"candidate", "to be made", "memory", "time", ""}}}
	total := ask.Takes{}
	for _, c := range f.Candidates {
		if c.Known() {
			total = total.Plus(c.Takes)
		}
		rest := c.Source
		if c.Failed != "" {
			rest = "fails: " + c.Failed
		}
		s.Table.Add(c.Name, format.Size(c.Make, "no"), format.Size(c.Memory, format.Undefined), c.Takes.String(), rest)
	}
	s.Notes = []string{format.Several(f.Questions, "item") + " each, one candidate after the other"}
	if total.Known() {
		s.Notes = append(s.Notes, "all of them: "+total.String()+", without making and loading models")
	}
	if f.Bytes > 0 {
		s.Notes = append(s.Notes, "to be made: "+format.Size(f.Bytes, "")+" in "+f.Folder)
	}
	p.Add(s)
	return p
}
