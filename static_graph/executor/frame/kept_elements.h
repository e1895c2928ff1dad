// SPDX-License-Identifier: Apache-2.0
// KeptElements: the elements that a run replaces where they are, in states, to
// be put back if it fails.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_KEPT_ELEMENTS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_KEPT_ELEMENTS_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// The elements of one run, in the order in which they are replaced.
class KeptElements {
 public:
  KeptElements() = default;
  KeptElements(const KeptElements&) = delete;
  KeptElements& operator=(const KeptElements&) = delete;

  // Keeps what `step`, a call of ReplacesElements()
  // (static_graph/lowering/replaced_elements.h), is about to replace in
  // `target`, which is contiguous and on the CPU. `indices` are those of a call
  // that puts along an axis, else null; wrong ones are the kernel's to refuse.
  absl::Status Keep(const Step& step, const DenseTensor* indices,
                    DenseTensor target);

  // Puts all of them back, the last first.
  void PutBack();

 private:
  // Bytes that lie together.
  struct Piece {
    char* place;
    int64_t bytes;
    size_t kept;  // Where they are in kept_.
  };

  absl::Status KeepAlongAxis(int axis, const DenseTensor& given,
                             DenseTensor* target);
  absl::Status KeepSlice(const Step& step, DenseTensor* target);
  void Add(char* place, int64_t bytes);

  std::vector<DenseTensor> targets_;  // Their memory stays.
  std::vector<Piece> pieces_;
  std::vector<char> kept_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_KEPT_ELEMENTS_H_
