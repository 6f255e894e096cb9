// Package samplesize says before a run how many questions it takes to know something, and what they cost.
//
//	Aim ─ Size ─▶ Size (questions) ─ runner.NewPlan ─▶ Plan.Cost ─ New ─▶ Plan ─▶ text | JSON
//
// It is pure but for what it is handed: a plan's cost comes from package runner, speeds come from a finished run's
// figures or from the user, the formulas from package stats.
package samplesize
