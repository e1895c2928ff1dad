#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo [ARGS]: trains on handwritten digits, then reads the text in a picture; needs nothing but a checkout
#
# The digits are learnt eagerly and as a static program. The text is read with networks of PaddlePaddle, which
# are downloaded; without network this part is left out.
# ARGS: --epochs N (12), --picture FILE (digits.png: test digits with what the network takes them for).
source tools/sy/lib.bash

readonly OCR=$SY_ROOT/out/ocr

# prepare_ocr: the libraries and the networks of examples/ocr in out/ocr.
prepare_ocr() {
  [[ -x $OCR/venv/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages "$OCR/venv" || return
  "$OCR/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r examples/ocr/requirements.txt || return
  "$OCR/venv/bin/python" -B examples/ocr/fetch_models.py "$OCR/models"
}

# read_text: reads the page of the shared data, and expects what PaddlePaddle reads there, or one that is made.
read_text() {
  local shared=$SY_ROOT/../shared/data words=()
  if [[ -f $shared/images/img1.png ]]; then
    words=("$shared/images/img1.png" --expect "$shared/golden/ocr_img1.txt")
  fi
  PYTHONPATH=$(bazel_bin)/python "$OCR/venv/bin/python" -B examples/ocr/ocr.py "$OCR/models" "${words[@]}" \
    --output "$OCR/boxes.png"
  say "demo: the boxes are in $OCR/boxes.png"
}

bash tools/sy/setup.sh
say "demo: building the Python package (the first time takes minutes)"
build //python/switchyard:switchyard
bash tools/sy/python.sh "$SY_ROOT/examples/digits/demo.py" "$@"
say "demo: reading text in a picture"
if prepare_ocr; then
  read_text
else
  say "demo: no text is read: what examples/ocr needs can't be downloaded"
fi
