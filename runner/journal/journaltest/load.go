package journaltest

import "proctor/runner/journal"

// A Journal is a whole journal in memory.
type Journal struct {
	Header   journal.Header
	Records  []journal.Record  // each id once, as its last line has it, in the order the ids first appeared
	Interims []journal.Interim // by number; none but where the run was to stop by itself
	Warnings []string          // what was tolerated, a sentence each
}

// Load reads a run's journal, given as the run's folder or the file itself.
func Load(run string) (*Journal, error) {
	r, err := journal.Open(run)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var records []journal.Record
	at := map[string]int{}
	for record, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		i, seen := at[record.ID]
		if seen {
			records[i] = record
			continue
		}
		at[record.ID] = len(records)
		records = append(records, record)
	}
	return &Journal{r.Header, records, r.Interims(), r.Warnings()}, nil
}
