#!/usr/bin/env bash
# usage: version.sh          print the version of these sources: the tag, or what git makes of the nearest one
#        version.sh time     print when they were committed, in seconds since 1970; SOURCE_DATE_EPOCH overrules it
# Sources without git, as git archive writes them, have both in scripts/version.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
noted() { sed -n "s/^$1 \([^\$]*\)\$/\1/p" scripts/version.txt; }

# The folder may lie within another project's.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
	version=$(git describe --tags --always --dirty --abbrev=12)
	time=$(git log -1 --format=%ct)
else
	version=$(noted version)
	commit=$(noted commit)
	version=${version:-${commit:0:12}}
	time=$(noted time)
fi
case "${1:-}" in
"") echo "${version:-devel}" ;;
# No zip file and no FAT file system can say an earlier one.
time) echo "${SOURCE_DATE_EPOCH:-${time:-315532800}}" ;;
*) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
esac
