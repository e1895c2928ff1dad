#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# format [--check]: formats the C++ sources and the operators' YAML files, or only checks that they are formatted
#
# --check also demands an SPDX line of every source.
source tools/sy/lib.bash

case ${1:-} in
  "") mode=(-i) yaml_mode=() ;;
  --check) mode=(--dry-run --Werror) yaml_mode=(--check) ;;
  *) die "format: unknown argument '$1'" ;;
esac

# Every source names its licence, in the first lines; the pieces of an operator are no files of their own.
if [[ ${1:-} == --check ]]; then
  unlicensed=$(git -c safe.directory='*' grep -L 'SPDX-License-Identifier' -- \
    '*.h' '*.cc' '*.cu' '*.cuh' '*.py' '*.bzl' '*.sh' '*.bash' '*.BUILD' '*BUILD.bazel' '*.proto' '*WORKSPACE' \
    'ops_gen/ops/*.yaml' 'sy' '.bazelrc' '.ci/run' ':!tests/adding_an_operator/outer' || true)
  [[ -z $unlicensed ]] || die "format: no SPDX line in: ${unlicensed//$'\n'/ }"
fi

/usr/bin/python3 tools/ci/format_yaml.py "${yaml_mode[@]}" ops_gen/ops/*.yaml

# Golden files hold what the generator wrote. safe.directory: a checkout may belong to another user.
git -c safe.directory='*' ls-files -z -- '*.h' '*.cc' '*.cu' '*.cuh' ':!:**/golden/**' |
  xargs -0 -r -n 32 -P "$(nproc)" clang-format-14 "${mode[@]}"
