#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# library -o DIR [--models MODEL...]: makes libswitchyard for programs in C and C++ that CMake or make builds
#
# DIR gets include/, lib/ and share/, with files for CMake and pkg-config, and the same as a .deb for Debian 12.
# The folder may be moved. docs/c_library.md is the guide.
#
#   --models MODEL...  only the operators of these models, which DIR gets in our form: DIR/NAME.sy for each.
#                      The library then loads such files; it may lack operators of a model as it was
source tools/sy/lib.bash

folder= models=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -o)
      [[ $# -gt 1 ]] || die "library: -o needs a folder"
      folder=$2
      shift 2
      ;;
    --models)
      shift
      while [[ $# -gt 0 && $1 != -* ]]; do
        models+=("$1")
        shift
      done
      [[ ${#models[@]} -gt 0 ]] || die "library: --models needs a model"
      ;;
    *) die "library: no option '$1': ./sy help library" ;;
  esac
done
[[ -n $folder ]] || die "library: -o DIR is missing: ./sy help library"

made=out/library.$$
trap 'rm -rf "$SY_ROOT/$made"' EXIT
mkdir -p "$made"
target=//library:package
if [[ ${#models[@]} -gt 0 ]]; then
  package=$(built //python/switchyard:switchyard python)
  (
    cd "$SY_CALLER_DIR"
    mkdir -p "$folder"
    PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH} \
      /usr/bin/python3 -B "$SY_ROOT/tools/sy/library_of_models.py" --build "$SY_ROOT/$made" -o "$folder" "${models[@]}"
  )
  target=//$made:package
fi
build "$target"
target=${target#//}
debs=("$(bazel_bin)/${target%:*}"/*.deb)
# Unpacked here first: DIR may be on another file system, or have other files.
dpkg-deb -x "${debs[0]}" "$made/unpacked"
cd "$SY_CALLER_DIR"
mkdir -p "$folder"
cp -rP "$SY_ROOT/$made/unpacked/usr/." "$folder/"
install -m 644 "${debs[0]}" "$folder/"
say "library: $folder/lib/x86_64-linux-gnu/libswitchyard.so.1," \
  "$(stat -c %s "$folder/lib/x86_64-linux-gnu/libswitchyard.so.1") bytes; $folder/${debs[0]##*/}"
