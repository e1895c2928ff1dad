# SPDX-License-Identifier: Apache-2.0
# What the commands of ./sy share. Sourced by them, with the repository root as working directory;
# not a command. Our own words go to stderr: stdout belongs to what a command runs.
#
# `./sy COMMAND --help` prints what the script's first comment says, unless the script sets OWN_HELP: then the
# program behind it has options of its own to print.
set -euo pipefail

say() { printf 'sy: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 2
}

# help_of FILE: the script's first comment below the licence, without its marks.
help_of() {
  awk '/^#!/ || /SPDX/ { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$1"
}

if [[ -z ${OWN_HELP:-} && (${1:-} == --help || ${1:-} == -h) ]]; then
  help_of "$0"
  exit 0
fi

# Bazel's exit code where another command holds the lock of the output base.
readonly LOCK_HELD=9

# bazel_run COMMAND ARGUMENTS...: bazel, with a line of progress now and then where nobody watches.
bazel_run() {
  local verb=$1
  shift
  local options=()
  [[ -t 2 ]] || options+=(--show_progress_rate_limit=20)
  bazel "$verb" "${options[@]}" "$@"
}

# build TARGET...: with a line of progress now and then.
build() {
  command -v bazel >/dev/null || die "bazel is missing: run ./sy setup first"
  say_if_waiting
  bazel_run build --ui_event_filters=-info --show_result=0 "$@" >&2
}

# Where the binaries are, whatever the convenience symlinks say.
bazel_bin() { bazel info bazel-bin 2>/dev/null; }

# sources TESTS...: the files that pass find's TESTS. Folders are not looked at: a `__pycache__` changes them.
sources() {
  find . \( -path ./.git -o -path ./out -o -name 'bazel-*' -o -name __pycache__ \) -prune -o ! -type d "$@"
}

# source_names: a checksum of the files' names, by which one that is gone or new is seen.
source_names() { sources -print | LC_ALL=C sort | cksum; }

# newer_source FILE: true if a source has changed since FILE was written, or FILE.names has other names.
newer_source() {
  [[ -n $(sources -newer "$1" -print -quit) || $(source_names) != "$(cat "$1.names" 2>/dev/null)" ]]
}

# lock_is_held: true if another command holds the lock of Bazel's output base.
lock_is_held() {
  local rc=0
  bazel --noblock_for_lock info release >/dev/null 2>&1 || rc=$?
  [[ $rc == "$LOCK_HELD" ]]
}

say_if_waiting() {
  ! lock_is_held || say "another command is building here: waiting until it is done"
}

# stamp_of TARGET: the file that says where what was built of TARGET lies.
stamp_of() { echo "out/built/${1//[^a-z]/_}"; }

# built TARGET PATH: for commands that are called often and run what is built. Builds TARGET, in a log with lines of
# progress the first time and without a word later, and prints where its PATH lies. Bazel is not asked while no source
# has changed since the last time. While another command holds Bazel's lock, what was built last is used, and a line says so.
built() {
  local target=$1 path=$2 stamp folder= rc=0
  local options=(--ui_event_filters=-info --show_result=0)
  stamp=$(stamp_of "$target")
  [[ -f $stamp ]] && folder=$(<"$stamp")
  [[ -n $folder && -e $folder/$path ]] || folder=
  if [[ -n $folder ]] && ! newer_source "$stamp"; then
    echo "$folder/$path"
    return
  fi
  command -v bazel >/dev/null || die "bazel is missing: run ./sy setup first"
  if [[ ! -t 2 ]]; then
    [[ -z $folder ]] && options+=(--show_progress_rate_limit=20) || options+=(--noshow_progress)
  fi
  mkdir -p out/built
  # What changes from here on is newer than what is built.
  touch "$stamp.$$"
  source_names >"$stamp.$$.names"
  if [[ -n $folder ]] && lock_is_held; then
    rc=$LOCK_HELD
  else
    say_if_waiting
    bazel build "${options[@]}" "$target" >&2 || rc=$?
  fi
  if [[ $rc != 0 ]]; then
    rm "$stamp.$$" "$stamp.$$.names"
    [[ $rc == "$LOCK_HELD" ]] || exit "$rc"
    say "sources have changed, but another command is building: using what was built at $(date -r "$stamp" '+%F %T')"
    echo "$folder/$path"
    return
  fi
  folder=$(bazel_bin)
  echo "$folder" >"$stamp.$$.new"
  touch -r "$stamp.$$" "$stamp.$$.new"
  rm "$stamp.$$"
  mv "$stamp.$$.names" "$stamp.names"
  mv "$stamp.$$.new" "$stamp"
  echo "$folder/$path"
}

# package_command COMMAND ARGUMENTS...: becomes `python -m switchyard COMMAND`, in the caller's folder.
package_command() {
  local package
  package=$(built //python/switchyard:switchyard python)
  PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
  cd "$SY_CALLER_DIR"
  # -P: a folder `switchyard` here is not the package.
  exec /usr/bin/python3 -P -B -m switchyard "$@"
}

# repository_says NAME CONSTANT: true if @NAME//:defs.bzl, which looked at this machine, has CONSTANT = True.
repository_says() {
  bazel query "@$1//:all" >/dev/null 2>&1 || return 1
  grep -q "^$2 = True\$" "$(bazel info output_base 2>/dev/null)/external/$1/defs.bzl"
}
