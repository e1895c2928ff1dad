// SPDX-License-Identifier: Apache-2.0
// Parts of concatenations that lie in the memory of the result: where they go,
// so that the kernel, which leaves such a part alone, moves nothing.
//
//   a = conv(x, v)              a is written to the first bytes of c,
//   b = conv(x, w)              b after it;
//   c = concat([a, b], 1)       nothing is left to do.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_CONCAT_PARTS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_CONCAT_PARTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Returns for each input of a step that concatenates by our own CPU kernel how
// many bytes of its result come before it. Nullopt for any other step, and
// where the bytes of an input don't lie together in the result: where an axis
// before that of the concatenation has more than one index.
std::optional<std::vector<int64_t>> PartOffsets(const ShapeSpecialization& made,
                                                const Step& step);

// A root that may lie in the memory of another one.
struct PartInPlace {
  TensorId part = kNoTensor;
  TensorId whole = kNoTensor;
  int64_t offset = 0;  // Into the whole's bytes, a multiple of 64.
};

// Returns the parts of concatenations, in the order of the steps, that may be
// written where they go. Such a part is all of its root, which is planned and
// has no other whole; the result is planned or leaves the program; the part is
// not written after the concatenation, and is not read after it if the result
// is written over later. A whole may be the part of another one. Any of them
// may be left out.
std::vector<PartInPlace> FindPartsInPlace(const ShapeSpecialization& made);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_CONCAT_PARTS_H_
