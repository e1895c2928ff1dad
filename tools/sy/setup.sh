#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup [--opencl] [--distributed] [--browser]: installs the Debian packages that are missing (as root, or with sudo)
#
# The packages are listed in tools/sy/packages.txt.
#
#   --opencl        also those of examples/opencl_device: OpenCL on the CPU, 255 MB
#   --distributed   also Open MPI and Gloo, transports of several processes (docs/python/distributed.md)
#   --browser       also Chromium, in which a test opens the pages of ./sy view, 400 MB
source tools/sy/lib.bash

mapfile -t wanted < <(grep -v -e '^#' -e '^$' tools/sy/packages.txt)
for option in "$@"; do
  case $option in
    --opencl) wanted+=(ocl-icd-opencl-dev pocl-opencl-icd) ;;
    --distributed) wanted+=(libopenmpi-dev openmpi-bin libgloo-dev) ;;
    --browser) wanted+=(chromium chromium-driver) ;;
    *) die "setup: unknown argument '$option'" ;;
  esac
done
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done

if [[ ${#missing[@]} -eq 0 ]]; then
  say "setup: all ${#wanted[@]} Debian packages are installed"
  exit 0
fi

command -v apt-get >/dev/null || die "setup: there is no apt-get: this is for Debian 12 and its like"
as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || die "setup: not root, and there is no sudo. As root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)

say "setup: installing ${#missing[@]} of ${#wanted[@]} Debian packages: ${missing[*]}"
"${apt[@]}" update >&2
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
say "setup: done"
