// SPDX-License-Identifier: Apache-2.0
// SequenceRows: the rows of a tensor with sequences (LoD) of one level, for the
// families that go through them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_LOD_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_LOD_H_

#include <string_view>

#include "static_graph/translate/onnx_out/out_call.h"

namespace switchyard::static_graph {

// Writes nodes of the call, which outlives it. Refuses an input without
// sequences.
class SequenceRows {
 public:
  SequenceRows(OutCall& call, std::string_view input);

  // int64 [sequences].
  const OnnxName& lengths() const { return lengths_; }
  const OnnxName& begins() const { return begins_; }
  const OnnxName& ends() const { return ends_; }
  // Whether a sequence has a step: bool [sequences, steps]. There is a step at
  // least.
  const OnnxName& there() const { return there_; }
  // The number of rows, which is that of a row of zeros: int64 [1].
  const OnnxName& none() const { return none_; }

  // Returns the numbers of the rows.
  OnnxName Numbers() const;
  // Returns the number of each row's sequence.
  OnnxName SequenceOfRow() const;
  // Returns rows of x by numbers.
  OnnxName At(const OnnxName& x, const OnnxName& places) const;
  // Returns the first or the last row of each sequence, or zeros.
  OnnxName Outermost(bool last) const;
  // Returns x, which has these sequences, as [sequences, steps, ...], with
  // zeros after the end of each.
  OnnxName Padded(const OnnxName& x) const { return At(x, places_); }
  // Returns [sequences, steps, ...], of `rank` axes, as rows.
  OnnxName Back(const OnnxName& y, int rank) const;

 private:
  OutCall& call_;
  OnnxName x_;
  OnnxName lengths_, begins_, ends_, there_, none_, places_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_LOD_H_
