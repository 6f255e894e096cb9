package schedule

import (
	"slices"
	"testing"
)

func TestSlotsThatBeginAlikeAreAPrefixGroup(t *testing.T) {
	// text is n tokens of a subject and then one of its own.
	text := func(subject int32, n int, own int32) []int32 {
		return append(slices.Repeat([]int32{subject}, n), own)
	}
	for name, test := range map[string]struct {
		held   [][]int32 // nil: the slot is idle
		group  []int32
		length []int32
	}{
		"nobody":      {[][]int32{nil, nil}, []int32{-1, -1}, []int32{0, 0}},
		"one alone":   {[][]int32{nil, text(1, 300, 9)}, []int32{-1, 1}, []int32{0, 0}},
		"one subject": {[][]int32{text(1, 300, 9), nil, text(1, 300, 8), text(1, 300, 7)}, []int32{0, -1, 0, 0}, []int32{300, 0, 0, 0}},
		"two subjects": {
			[][]int32{text(1, 300, 9), text(2, 200, 9), text(2, 200, 8), text(1, 300, 8)}, []int32{0, 1, 1, 0}, []int32{300, 200, 0, 0},
		},
		"too little":          {[][]int32{text(1, 63, 9), text(1, 63, 8)}, []int32{0, 1}, []int32{0, 0}},
		"the least of all":    {[][]int32{text(1, 300, 9), text(1, 300, 8), text(1, 200, 7)}, []int32{0, 0, 0}, []int32{200, 0, 0}},
		"less than the group": {[][]int32{text(1, 300, 9), text(1, 300, 8), text(1, 100, 7)}, []int32{0, 0, 2}, []int32{300, 0, 0}},
		"stragglers together": {
			[][]int32{text(1, 300, 9), text(1, 300, 8), text(1, 100, 7), text(1, 100, 7)}, []int32{0, 0, 2, 2}, []int32{300, 0, 101, 0},
		},
		"less of the prompts": {
			[][]int32{
				append(text(1, 80, 9), text(2, 200, 9)...),
				append(text(1, 80, 9), text(3, 200, 9)...),
				append(text(1, 80, 9), text(2, 200, 8)...),
			},
			[]int32{0, 1, 0}, []int32{281, 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var slots []*slot
			for i, held := range test.held {
				s := &slot{seq: int32(i), held: held}
				if held != nil {
					s.job, s.started = &job{tokens: held}, true
				}
				slots = append(slots, s)
			}
			if group, length := prefixGroups(slots); !slices.Equal(group, test.group) || !slices.Equal(length, test.length) {
				t.Errorf("groups %v share %v, want %v and %v", group, length, test.group, test.length)
			}
		})
	}
}
