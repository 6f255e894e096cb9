package main

import (
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/runner/ask"
	"proctor/runner/ask/shard"
)

// shardFlags say which part of a run is asked here.
func shardFlags(to **shard.Part, form *ask.Form) []cli.Flag {
	const category = "EVAL"
	return []cli.Flag{
		&cli.StringFlag{
			Name: "shard", DefaultText: "the whole run", Category: category,
			Usage: "ask shard `I/N` of the questions, as in 2/16, or auto: as a task of a Slurm array or a pod of a Kubernetes " +
				"Indexed Job; merge joins them; with --resume --out DIR it begins where DIR has no run yet",
			Action: func(_ *cli.Context, text string) error {
				part, err := shard.Parse(text, os.Getenv)
				*to = &part
				return err
			},
		},
		&cli.StringFlag{
			Name: "date", DefaultText: "the run's first", Category: category,
			Usage: "`DAY` that chat templates show which show one, as in 2026-11-22: the same for all shards",
			Action: func(_ *cli.Context, text string) (err error) {
				form.Now, err = time.Parse(time.DateOnly, text)
				return valid("date", func(string) bool { return err == nil }, "give a day, as in 2026-11-22")(nil, text)
			},
		},
	}
}

// ofShards are what a shard's flags do not go with.
func ofShards() []conflict {
	return []conflict{
		{"until-half-width", with("shard"), "--until-half-width stops by an interval over all questions asked, which no shard knows: " +
			"leave --shard out, or ask as many as proctor plan --half-width says"},
		{"tune", with("shard"), "--tune tries out settings that all shards must share, and could choose others on each machine: " +
			"a shard takes none; give --slots and the like where they should not be the defaults"},
	}
}
