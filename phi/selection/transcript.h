// SPDX-License-Identifier: Apache-2.0
// TranscriptLine: one choice as one line, the same from the eager and from the
// static executor, so that their transcripts can be compared as text:
//   softmax float32[8, 1000] axis=-1 -> cpu float32
//     (phi/kernels/cpu/softmax/softmax.h:42) transforms: none
// (in one line). phi/dispatch/selection_recorder.h collects them. The whole
// loop with its reasons is phi/selection/explain.h.
#ifndef SWITCHYARD_PHI_SELECTION_TRANSCRIPT_H_
#define SWITCHYARD_PHI_SELECTION_TRANSCRIPT_H_

#include <string>

#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// Returns the line. `selection` is the final answer for `query`: it has a
// kernel. A fallback ends the line with " fallback: gpu:0 -> cpu".
std::string TranscriptLine(const Query& query, const Selection& selection);

// Returns "copy x to cpu", "contiguous x", "cast parts[1] to float32",
// "reorder x to aBcd8b (4096 bytes)": the bytes that it writes, if known.
std::string TransformText(const Query& query, const Transform& transform);
// Returns the same of an output: "reorder out from aBcd8b (4096 bytes)".
std::string OutputTransformText(const Query& query, const Transform& transform);

// Returns the transforms of inputs and outputs, separated by commas; "none" if
// there are none.
std::string TransformsText(const Query& query, const Selection& selection);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_TRANSCRIPT_H_
