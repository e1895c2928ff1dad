# SPDX-License-Identifier: Apache-2.0
# What the commands of ./sy share. Sourced by them, with the repository root as working directory;
# not a command. Our own words go to stderr: stdout belongs to what a command runs.
set -euo pipefail

say() { printf 'sy: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 2
}

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
  bazel_run build --ui_event_filters=-info --show_result=0 "$@" >&2
}

# build_quietly TARGET...: for commands that are called from scripts: without a terminal, only errors.
build_quietly() {
  if [[ -t 2 ]]; then build "$@"; else build --noshow_progress "$@"; fi
}

# Where the binaries are, whatever the convenience symlinks say.
bazel_bin() { bazel info bazel-bin 2>/dev/null; }

# repository_says NAME CONSTANT: true if @NAME//:defs.bzl, which looked at this machine, has CONSTANT = True.
repository_says() {
  bazel query "@$1//:all" >/dev/null 2>&1 || return 1
  grep -q "^$2 = True\$" "$(bazel info output_base 2>/dev/null)/external/$1/defs.bzl"
}
