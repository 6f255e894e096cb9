// Package samplesize plans a run: how many questions an aim needs, and what they cost.
//
//	Aim ─ Size ─▶ Size (questions) ─ ask.Cost ─ New ─▶ Plan ─▶ text | JSON
//
// It only computes: the cost of prompts comes from package ask, speeds from a finished run's figures or the user, the formulas from
// package stats.
package samplesize
