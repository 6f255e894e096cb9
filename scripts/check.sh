#!/usr/bin/env bash
# usage: check.sh
# Every check that a change must pass, in the order in which they fail fastest. `make check` runs it.
set -euo pipefail
before=$(git status --porcelain)

step() { printf '\n== %s\n' "$*"; }

step gofmt
unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
[ -z "$unformatted" ] || { printf 'gofmt would change:\n%s\n' "$unformatted" >&2; exit 1; }

step clang-format of the kernels
case $(clang-format --version 2>/dev/null) in
*'version 14.'*) git ls-files -z backends/llamacpp/kernels | grep -zE '\.(h|c|cpp)$' | xargs -0 clang-format --dry-run -Werror ;;
*) echo "skipped: clang-format 14 is not installed, and others format otherwise" ;;
esac

step go mod tidy
go mod tidy -diff

step go vet
go vet ./...

# A build without the tag compiles none of it, so what it uses may change unseen. The test leaves itself out where the module is missing.
step go vet with go-llama.cpp
go mod download github.com/go-skynet/go-llama.cpp
go test -run TestTheTaggedFileCompiles ./backends/gollama

step staticcheck
go tool staticcheck ./...

step golangci-lint
make -s lint

step govulncheck
if out=$(go tool govulncheck ./... 2>&1); then
	tail -n 3 <<<"$out"
elif grep -qE 'dial tcp|no such host|connection refused|i/o timeout|fetching vulnerabilities|403 Forbidden' <<<"$out"; then
	echo "skipped: its database can't be reached from here"
else
	printf '%s\n' "$out" >&2
	exit 1
fi

step without cgo
scripts/nocgo.sh

step headers of the kernels
scripts/kernel-headers.sh

step other CPUs
scripts/other-cpus.sh

step make test
make -s test

# What takes long and seldom fails: every shape and level of the kernels, all rounds of simulations.
step thorough tests
# Of the commands' tests, which take the longest, only those that do more then.
more='sharedtest[.](Thorough|NeedThorough|Few|Count)[(]'
mapfile -t thorough < <(git grep -lE "$more" -- '*_test.go' ':!cmd/proctor' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
THOROUGH=1 scripts/test.sh "${thorough[@]}"
slow=$(awk -v more="$more" '/^func Test/ { name = $2 } $0 ~ more { print name }' cmd/proctor/*_test.go | cut -d'(' -f1 | sort -u | paste -sd'|')
THOROUGH=1 scripts/test.sh -run "^(${slow:?no test of the commands is slow})\$" ./cmd/proctor

# The race detector takes three times as long, so it runs the packages that start goroutines or lock something. scripts/race-check.sh
# does so for the rest, whose tests are long.
step tests of concurrent packages, with the race detector
mapfile -t concurrent < <(scripts/concurrent.sh)
scripts/test.sh -race "${concurrent[@]}"

step clean tree
after=$(git status --porcelain)
[ "$before" = "$after" ] || { printf 'the checks changed the tree:\n%s\n' "$after" >&2; exit 1; }
