#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# product MODEL -o DIR: makes a C++ binary that runs a model with only the kernels that it needs
#
# MODEL is a folder or a file. DIR gets the binary run_model, the program in our form, model.sy, and main.cc, from
# which the binary is made. The binary gives the same bits as the whole library:
#
#   DIR/run_model DIR/model.sy                                    inputs and outputs
#   DIR/run_model DIR/model.sy RESULTS x=1x3x48x192:image.f32     a run: RESULTS/NAME.bin for each output
#
# Where it runs, Debian's packages libdnnl2 and libgomp1 must be there: apt install libdnnl2 libgomp1.
#
#   --weights FILE  the file of the weights, if it lies elsewhere
#   --relaxed CHOICES, --precision NAME, --exact, --without PASS,PASS   as of ./sy run; model.sy keeps them
source tools/sy/lib.bash

package=$(built //python/switchyard:switchyard python)
made=out/product.$$
trap 'rm -rf "$SY_ROOT/$made"' EXIT
mkdir -p "$made"
(
  cd "$SY_CALLER_DIR"
  PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH} \
    /usr/bin/python3 -B "$SY_ROOT/tools/sy/product_of_model.py" --build "$SY_ROOT/$made" "$@"
)
output=$(<"$made/output")
build "//$made:run_model"
install -m 755 "$(bazel_bin)/$made/run_model" "$output/run_model"
strip "$output/run_model"
# strip writes no pipe.
strip -o "$made/whole" "$package/switchyard/_core.so"
cp "$(bazel_bin)/$made/run_model_main.cc" "$output/main.cc"
chmod u+w "$output/main.cc"
say "product: $output/run_model, $(stat -c %s "$output/run_model") bytes; the package's library has" \
  "$(stat -c %s "$made/whole")"
