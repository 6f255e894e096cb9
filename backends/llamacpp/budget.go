package llamacpp

import "proctor/backends"

var _ backends.Budgeter = (*Model)(nil)

// CheckBudget implements [backends.Budgeter]: it keeps every one.
func (m *Model) CheckBudget(backends.Budget) error { return nil }
