package backends

// Energy is how the energy is read that this machine takes, whatever program takes it.
type Energy struct {
	Counters []string // that are added up, for people; none where none can be read
	Unread   string   // why none can be read, or one of those that should be; empty where all can
	// Since returns the joules since it was called before, and false the first time or where a counter fails; nil without counters.
	Since func() (joules float64, known bool)
}
