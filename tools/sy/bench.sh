#!/bin/bash
# bench [NAME...]: run the benchmarks, or those whose label contains a NAME
source tools/sy/lib.bash

mapfile -t labels < <(bazel query --noshow_progress 'attr(tags, benchmark, //...)' 2>/dev/null)
if [[ $# -gt 0 ]]; then
  mapfile -t labels < <(printf '%s\n' "${labels[@]}" | grep -F -f <(printf '%s\n' "$@"))
fi
[[ ${#labels[@]} -gt 0 ]] || die "bench: no benchmark matches: $*"

build "${labels[@]}"
bin=$(bazel_bin)
for label in "${labels[@]}"; do
  say "bench: $label"
  path=${label#//}
  "$bin/${path/://}"
done
