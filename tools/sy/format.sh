#!/bin/bash
# format [--check]: lay out the C++ sources with clang-format-14, or only check that they are
source tools/sy/lib.bash

case ${1:-} in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  *) die "format: unknown argument '$1'" ;;
esac

# Golden files hold what the generator wrote. safe.directory: a checkout may belong to another user.
git -c safe.directory='*' ls-files -z -- '*.h' '*.cc' '*.cu' '*.cuh' ':!:**/golden/**' |
  xargs -0 -r -n 32 -P "$(nproc)" clang-format-14 "${mode[@]}"
