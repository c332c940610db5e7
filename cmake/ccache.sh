#!/bin/bash
# Usage: ccache.sh CHECKOUT COMPILER ARGUMENT...
# Compiles with ccache so that another checkout of the same sources finds the same results: paths
# below the checkout become relative to the build folder, where compilers run. A precompiled header
# names its checkout, so it is compiled without ccache; objects that use it depend on the headers'
# contents, which PCH_FILE.sum holds for ccache.
set -eu
checkout=$1
shift
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
up=$(realpath --relative-to="$PWD" "$checkout")
arguments=()
for argument; do
  case $argument in
  -D*) ;; # Paths in definitions are for run time.
  *) argument=${argument//$PWD\//} argument=${argument//$checkout/$up} ;;
  esac
  arguments+=("$argument")
done

output=
previous=
for argument in "${arguments[@]}"; do
  [ "$previous" != -o ] || output=$argument
  [ "$previous" != -MF ] || dependencies=$argument
  previous=$argument
done
case $output in
*.pch) ;;
*) exec ccache "${arguments[@]}" ;;
esac

"${arguments[@]}"
# The first entry is the target; continuation lines end with a backslash.
tr -s ' \\\n' '\n' <"$dependencies" | sed '1d; /^$/d' | xargs cat | sha256sum >"$output.sum"
