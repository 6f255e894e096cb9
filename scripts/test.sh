#!/usr/bin/env bash
# usage: test.sh [FLAG… PACKAGE…]
# Runs every test, or with flags of go test those of the packages, and says at the end what was skipped for want of what
# the repository does not hold, and how to have it. No test needs a time limit of its own: this one is for what hangs on a busy machine.
# The commands' tests take the longest, so they begin first. make check vets.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ $# -gt 0 ] || set -- ./cmd/proctor ./...
go tool gotestsum --format pkgname --format-hide-empty-pkg --jsonfile "$log" -- -vet off -timeout 60m "$@"
status=$?
skipped=$(grep -o 'needs \(\.\./shared/[^ ,"\\]*\|chromium\|a published llama\.cpp\|\(real \)\?models\( of llama\.cpp\)\?\)' "$log" |
	sort | uniq -c | sort -rn)
if [ -n "$skipped" ]; then
	total=$(awk '{ n += $1 } END { print n }' <<<"$skipped")
	printf '\n%s tests were skipped for want of what the repository does not hold (the number of tests, what):\n%s\n' \
		"$total" "$(sed 's/needs //' <<<"$skipped")"
	cat <<-'HOW'
		../shared/data/mmlu-pro is MMLU-Pro as published, two parquet files (bin/proctor data pull keeps them in the data folder,
		which bin/proctor doctor names); ../shared/data/outputs are the two logs that its authors published;
		../shared/reference and ../shared/data/chat-templates are what the reference implementations make of them.
		chromium opens HTML reports as people do: apt-get install chromium.
		make engines fetches published releases of llama.cpp, and runs the tests that need one with each.
		make real fetches two real models, and runs the tests that need them.
		make llama-cpp-models fetches vocabularies and chat templates that llama.cpp tests itself with.
	HOW
fi
exit $status
