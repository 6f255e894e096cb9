//go:build cgo

package llamacpp

import (
	"reflect"
	"slices"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
	"proctor/scripts/tests/errortest"
)

// onBF16 runs a test with each level of prompts alone, computed without its instructions.
func onBF16(t *testing.T, test func(t *testing.T, level string)) {
	t.Helper()
	for level, model := range map[string]func() (func(), bool){
		kernels.AMXBF16: kernelstest.UseAMXBF16Model, kernels.BF16: kernelstest.UseBF16Model,
	} {
		undo, uses := model()
		if !uses {
			t.Skip("there are no kernels for this CPU")
		}
		t.Run(level, func(t *testing.T) {
			t.Cleanup(undo)
			test(t, level)
		})
	}
}

// What a model says depends on which of its tokens are the prompt's, not on what is computed beside them: it is the same in one
// slot and in many, and forced through what it said it says it again.
func TestWithBF16ATokenIsComputedByItsRole(t *testing.T) { onBF16(t, checkRoles) }

func checkRoles(t *testing.T, level string) {
	requests := fewShot(2, 3, 60, 12)
	for i := range requests {
		requests[i].Logprobs = 4
	}
	path := quantized(t)
	said := func(kernels string, slots int, requests ...backends.Request) (all [][]backends.Prediction) {
		m := open(t, Options{Path: path, Slots: slots, Kernels: kernels})
		if _, err := m.Plan(t.Context(), backends.Workload{PromptTokens: 512, Forced: true}); err != nil {
			t.Fatal(err)
		}
		for _, c := range generate(t, m, requests...) {
			all = append(all, c.Predictions)
		}
		return all
	}
	alone := said(level, 1, requests...)
	if reflect.DeepEqual(alone, said(KernelsProctor, 1, requests...)) {
		t.Errorf("prompts have the same bits with kernels %s and %s: the test says little", level, KernelsProctor)
	}
	forced := slices.Clone(requests)
	for i, predictions := range alone {
		forced[i].Forced = &backends.Forced{}
		for _, p := range predictions {
			forced[i].Forced.Tokens = append(forced[i].Forced.Tokens, p.Token)
		}
	}
	for what, all := range map[string][][]backends.Prediction{
		"in 6 slots": said(level, 6, requests...), "forced": said(level, 1, forced...),
		"forced in 6 slots": said(level, 6, forced...),
	} {
		if !reflect.DeepEqual(all, alone) {
			t.Errorf("%s: the model says something else than alone", what)
		}
	}
}

func TestABatchOfPromptsAndCompletionsIsRefused(t *testing.T) {
	m := open(t, Options{Slots: 2, Context: 256})
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	_, err := m.engine.Decode(engine.Batch{{ID: 1, Prompt: true}, {ID: 1, Sequence: 1}})
	errortest.Says(t, err, "tokens of prompts and others")
}

func TestBF16IsTakenWhereItIsAskedForAndCanBeHad(t *testing.T) {
	for _, level := range BF16Kernels() {
		if kernels.Available() && kernels.Check(level) != nil {
			err := (&Options{Path: tinyPath(t), Kernels: level}).applyDefaults()
			errortest.For(t, "without the level", err, "it lacks ", `choose "proctor"`)
		}
	}
	onBF16(t, func(t *testing.T, level string) {
		if DefaultKernels() != KernelsProctor {
			t.Errorf("no kernels were named, and the default is %s", DefaultKernels())
		}
		asked := open(t, Options{Kernels: level}).settings.EngineInfo
		if asked.Kernels != level || asked.KernelLevel != level || !asked.LevelForced || !asked.FlashAttention {
			t.Errorf("asked for %s, got %+v", level, asked)
		}
		if like := open(t, Options{Like: &asked}).settings.EngineInfo; like.Kernels != level || like.KernelLevel != level {
			t.Errorf("a run with %s goes on with %+v", level, like)
		}
	})
}
