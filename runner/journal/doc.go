// Package journal keeps what a run asked and what came back: one append-only file, from which every report can be made again
// without a model. This comment is the format's specification.
//
// # File
//
// A journal is JSON Lines in UTF-8: one object a line, each line ended by a line feed. In a run's folder it is called
// journal.jsonl. The first line has kind "run" and is the [Header], which has everything that is the same for all items. Each
// other line has kind "item", "partial" or "look". The types' JSON names are the format's field names.
//
// A line of kind "item" is a [Record]: one item's prompt and completion, without any verdict. An item's exact prompt is its
// subject's entry in the header's preambles followed by the item's own prompt; a journal made from another harness's log may lack
// both, and has the question's text. Ids are task/question or task/question/variant. Where a run asks every item several times
// (the header's repeats), the second time has "#2" behind the id and repeat 2, the third "#3" and 3, and so on; the first time
// has neither. Where sampling.seeds is "item", the sampling seed of an item is made of sampling.seed and the item's id:
// the first 31 bits of the SHA-256 of both in decimal and text, a space between them. An engine of this machine makes a
// token's random number of that seed and the token's position in the completion. So a text depends neither on what is
// asked beside it nor on interruptions.
//
// A record says when the backend took the item (began) and how long it had it (timing.total_ns). A run's time is the
// time during which the backend had at least one item, so a pause between a run and its resumption does not count.
// Times never step back, even where the machine's clock was set back: a session's times are its start plus the time
// passed, and none is before the end of an earlier session. new_tokens, summed over the items of any part of a run's
// order, is the size of the prefix tree of their prompts; a prompt that repeats an earlier one adds its last token,
// which must be evaluated again.
//
// Where the backend computes on this machine's CPUs, about one line a second has, in others, the share of them that other programs
// took since the last such line. An engine that chose its number of threads itself makes room for them: threads is the smallest
// number that it used.
//
// Where the header has logprobs, a file beside the journal holds the model's log-probabilities for each token of the completions.
// An item's logprobs say where in it its part starts, how long it is, and its SHA-256. Package logprobs specifies that file.
//
// A task whose name ends in _direct reads the letter from the model's probabilities and generates nothing. An item's
// letter_logprobs are the natural logarithms of the letters' probabilities behind the prompt, from A on, over the whole vocabulary
// (to 9 decimals); its text is the likeliest letter (of equal ones the first), and usage.output_tokens is 0. The header's direct
// has the tokens that counted as the letter A; sampling.max_tokens is 0.
//
// Texts that people wrote for the run are in the header in full, so that it can be understood without their files: a style in
// style_file, a rule set in rule_file, a system text in system, a chat template in chat_template with the variables given to it
// in template_args. date is the date that chat templates got.
//
// The header's flags specify the run as a command line would (package spec). A resumed run reads them, and the texts above, from
// the header and not from its command line. The exception is where data is sent or written and whose code is loaded: the command
// line must say that too, since a journal may come from anybody. Flags are not part of the fingerprint; their effects are.
//
// The header's thinking_marks are those around thinking that the model's chat template shows, or that were given. Where
// thinking is left out when an answer is marked, they delimit it, and the tags <think> and </think>, in which backends
// write thinking that they get apart from an answer.
//
// Where the model's file or server chose how tokens are drawn, sampling.from says who set each number, and the header has the
// numbers; a run is resumed only while the model still gives the same. An item's usage.drafted_tokens are those that a server's
// speculative decoding guessed, usage.accepted_tokens those it kept, and system_fingerprint identifies the server's build. None of
// these is part of the fingerprint.
//
// Where the header has think_budgets, thinking was ended after that many tokens: its closing mark was forced, and the answer
// followed, capped by sampling.max_tokens. think_closed marks the items that were closed so at the largest budget. Where there are
// several budgets, an item's forks are its completions with the thinking closed at the smaller ones: the first shared bytes of its
// text, then the fork's own. It has none for budgets that its thinking did not reach, where the text would be the same. usage and
// timing leave the forks out.
//
// A line of kind "look" is an [Interim]: an interim analysis of a run that stops once its comparison with a reference run
// (selection.until_decided) is decided. It has the number of questions asked so far, and whether the run stopped there. It is
// history, not a verdict on any item: the decision is kept because it was made, and a resumed run does not repeat it.
// selection.items and selection.questions are such a run's maximum. It has no shards.
//
// A line of kind "partial" is a [Partial]: the tokens of an unfinished answer when the run was interrupted, and every minute before;
// or none where they are not known. A resumed run continues from them where its backend can. The item's begun is the number of its
// tokens that came from there, and interrupted counts the tries that were interrupted. The item's line replaces its partials, but
// the time that the backend spent on them still counts.
//
// The order of lines has no meaning, with two exceptions: a partial's tokens follow those of the partial before it, and a later
// line replaces an earlier one with the same id (for an interim analysis, number). So a failed item is asked again by appending.
//
// # History
//
// The header's history is a list of [Part]: when the run asked which questions under which cap on tokens, with which
// version of the program, on which machine, and how long the model took to load. The last part is what the run asks
// now. A new run has one part.
//
// A session that asks more questions, or has a larger cap, adds a part. Each draw contains the one before it, and
// selection is of the last. The questions of a draw are asked before those that later draws add, each by subject and
// number. sampling.max_tokens is the last part's cap. What an earlier one cut is asked again: its first line stays, and
// the one that replaces it has the same id and a higher attempt. Each item has, in max_tokens, the cap that it was
// asked under. The new header is the one of a run that asked all of it from the start, but for the history; a file with
// it replaces the old one as a whole.
//
// The part of one shard of a divided run (package shard) has in shard which one it is, how many items it asks and their
// ids' checksum. A run merged from shards has the parts of all shards, in the order in which they began, and then one
// that asks all questions and has asked none yet. Its lines are those of the shards, byte for byte, in the shards'
// order.
//
// The fingerprint covers the caps, where there are several, and nothing else of the history.
//
// # Versions
//
// The header's version is 1; a reader refuses any other, a header with a field that it does not have, and an unknown
// kind. So a journal of another version of the program is read whole or not at all. A setting that is not set is
// not in the fingerprint.
//
// # Damage
//
// No line is longer than 64 MiB: longer ones are neither read nor written. An item that is too large to be asked, or whose texts
// would make its line longer, has the cause OVERSIZE and no texts. Asking it again would change nothing, so it counts as done.
//
// A record is written with a single call, so a killed process can leave at most one unfinished line, the last. A last line that
// has no line feed and is not complete JSON is left out with a warning, and is cut off when the run is resumed; its item is asked
// again. A journal whose first line is incomplete holds nothing, and is started anew. Anything else that is malformed is an error
// that names file and line.
//
// # Durability
//
// The operating system has a record when [Writer.Append] returns: killing the program loses nothing of it. Against a crash of the
// machine, the file is synced when it is created, on Close, and within a second of each Append. After a failed sync nothing more
// is written. A file that is deleted or replaced while it is open is noticed within a second of the next Append, which saves the
// open file's contents beside it. A journal that is open for writing is locked (flock), so that a second process cannot write to
// it; where the file system has no locks, [Writer.Unlocked] warns of it.
//
// # Fingerprint
//
// The header's fingerprint is a SHA-256 over everything that determines the prompts and the completions, as one list
// has it, each setting with the [Aspect] that it decides. A run is resumed, and shards are merged, only where it is
// equal. compare and a run until it is decided hold two runs against each other by the same list. A test changes each
// field of a header: one that is not in the fingerprint stands in the test with the reason.
//
// In short, the fingerprint leaves out what only says when, where and how fast, names and paths of what has a checksum,
// marking, notes, flags, and which part of the run a journal keeps. backend.features is compared beside it where
// kernels is ggml, whose bits depend on the build's instruction sets, or where flash_attention is off, as ggml's
// kernels then compute attention.
//
// Slots count only as "1" or "several". Greedy text depends on which items share a batch. With one slot none do, which makes that
// the reproducible reference; it may not be mixed with anything else. With several slots it depends on timing anyhow, and a run may
// be finished on a machine that holds fewer; the header keeps the number that the run started with.
//
// Neighbours: package ask writes journals; results reads them and grade marks their records; importlog makes them from the logs
// of other harnesses.
package journal
