#!/bin/sh
# usage: compiler.sh
# Says before anything is compiled where a compiler that Go calls is too old: the compiler itself would say, at the first file, that it
# does not know a flag. CC, CXX, CGO_CFLAGS and CGO_CXXFLAGS are those of go build.
set -u
remedy='install a newer one and name it, as in CC=gcc-12 CXX=g++-12 make'

check() { # language, compiler, flags
	if ! command -v "${2%% *}" >/dev/null; then
		echo "make: there is no compiler $2: gcc and g++ of version 11 or newer are needed" >&2
		exit 2
	fi
	name=gcc needed=11
	if $2 --version 2>/dev/null | grep -q clang; then
		name=clang needed=12
	fi
	version=$($2 -dumpfullversion -dumpversion 2>/dev/null)
	case $($2 -dumpmachine 2>/dev/null) in
	x86_64*) # the kernels' instruction sets
		if [ "${version%%.*}" -lt "$needed" ] 2>/dev/null; then
			echo "make: $2 is $name $version, $name $needed or newer is needed: $remedy" >&2
			exit 2
		fi
		;;
	esac
	# shellcheck disable=SC2086 # flags are words
	if ! reason=$($2 $3 -x "$1" -fsyntax-only /dev/null 2>&1); then
		echo "make: $2, $name $version, does not take the flags $3 ($(printf %s "$reason" | head -n 1)): $remedy" >&2
		exit 2
	fi
}

check c "$(go env CC)" "${CGO_CFLAGS-}"
check c++ "$(go env CXX)" "${CGO_CXXFLAGS-}"
