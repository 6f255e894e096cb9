#!/usr/bin/env bash
# usage: quick.sh
# Formats, vets and tests what changed since main, without C++: Go compiles no cgo here, so it takes seconds. All of prompts/ and
# runner/ is tested so; what needs the engine is vetted, and `make test` tests it. BASE=REVISION: since that.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
base=$(git merge-base HEAD "${BASE:-origin/main}" 2>/dev/null || echo HEAD)
mapfile -t files < <({ git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard; } | grep '\.go$' | sort -u)
[ ${#files[@]} -gt 0 ] || { echo "quick: no Go file changed since $(git rev-parse --short "$base")"; exit 0; }
unformatted=$(gofmt -l "${files[@]}")
[ -z "$unformatted" ] || { printf 'gofmt would change:\n%s\n' "$unformatted" >&2; exit 1; }
# go list leaves out folders in which every file needs cgo.
mapfile -t packages < <(printf '%s\n' "${files[@]}" | xargs -n 1 dirname | sort -u | sed 's,^,./,' |
	xargs go list -e -f '{{if .GoFiles}}{{.ImportPath}}{{end}}')
[ ${#packages[@]} -gt 0 ] || { echo "quick: all that changed needs cgo: make test"; exit 0; }
go vet "${packages[@]}"
mapfile -t tested < <(printf '%s\n' "${packages[@]}" | grep -E '^proctor/(prompts|runner)(/|$)')
[ ${#tested[@]} -eq 0 ] || go test "${tested[@]}"
