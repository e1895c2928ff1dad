#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wheel [-o DIR]: makes the Python package as a wheel, for systems with glibc 2.36 or newer and CPython 3.11
#
# DIR (by default the current folder) gets the wheel. It brings the libraries that it needs, except glibc's:
#
#   pip install DIR/switchyard-*.whl
source tools/sy/lib.bash

folder=.
while [[ $# -gt 0 ]]; do
  case $1 in
    -o)
      [[ $# -gt 1 ]] || die "wheel: -o needs a folder"
      folder=$2
      shift 2
      ;;
    *) die "wheel: no option '$1': ./sy help wheel" ;;
  esac
done
build //python/wheel:wheel
cd "$SY_CALLER_DIR"
mkdir -p "$folder"
for wheel in "$(cd "$SY_ROOT" && bazel_bin)"/python/wheel/*.whl; do
  install -m 644 "$wheel" "$folder/"
  say "wheel: $folder/${wheel##*/}, $(stat -c %s "$wheel") bytes"
done
