// SPDX-License-Identifier: Apache-2.0
// FrameTensors: the tensors of one run for one block of a program, and their
// memory. block_frame.h runs the block's steps over them.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_TENSORS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_TENSORS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/owned_tensor.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// The tensors of a ShapeSpecialization, by their numbers there. Planned ones
// lie in memory that this object owns; those of others are bound before a run
// and let go after it. What Base() returned stays at its place. Used by one
// thread at a time.
class FrameTensors {
 public:
  // Borrows the specialization, which outlives it. Make() comes first.
  explicit FrameTensors(const ShapeSpecialization& specialization)
      : specialization_(specialization) {}
  FrameTensors(const FrameTensors&) = delete;
  FrameTensors& operator=(const FrameTensors&) = delete;

  // Makes all tensors, and allocates what is planned. ResourceExhausted if
  // there is no memory.
  absl::Status Make(absl::Span<const DenseTensor> constants);

  // Follows the specialization, which has become one for other extents
  // (resizer.h): `changed` has the tensors of other metadata, and if `moved`
  // planned ones lie elsewhere. Between runs. ResourceExhausted if there is no
  // memory; then the frame must not run.
  absl::Status Resize(absl::Span<const TensorId> changed, bool moved);

  // Returns a dense tensor.
  const DenseTensor& dense(TensorId id) const { return tensors_[id]; }
  DenseTensor& mutable_dense(TensorId id) { return tensors_[id]; }
  // Returns a tensor that is not dense; null for one that is.
  const TensorBase* other(TensorId id) const {
    return others_.empty() ? nullptr : others_[id].get();
  }
  // Returns the tensor that kernels see; null for kNoTensor.
  TensorBase* Base(TensorId id);
  // Returns all dense ones by their numbers; entries of others are empty.
  absl::Span<DenseTensor> all() { return absl::MakeSpan(tensors_); }
  // Returns the tensors over memory that is not the frame's own nor the
  // program's.
  absl::Span<const TensorId> foreign() const { return foreign_; }
  // Returns kBound tensors by the number of the argument; kNoTensor for one
  // that nothing reads.
  absl::Span<const TensorId> arguments() const { return arguments_; }

  // Sets, before a run, the memory of a kBound or kFresh root and of all that
  // is written in place of it. `value` has the geometry that was specialized
  // for.
  void Bind(TensorId root, const DenseTensor& value);
  // Gives a kFresh root memory of its own. ResourceExhausted if there is none.
  absl::Status BindFresh(TensorId root);
  // Sets, before a run, a kBound tensor that is not dense.
  void BindOther(TensorId id, const TensorBase& value);
  // Sets the memory of a kPacked tensor, which stays from run to run.
  void BindPacked(TensorId id, const DenseTensor& value) {
    tensors_[id].SetBuffer(value.buffer());
  }

  // Lets go, after a run, of all memory that is not the frame's own.
  void Release();
  // Takes the memory from views, as their kernels expect.
  void ForgetViews();

 private:
  void SetArgument(int number, TensorId id);
  const RefPtr<Buffer>& GetMemory(Place place) const;
  // Gives planned tensors their pieces of the memory, which grows if need be.
  absl::Status PlaceTensors();
  // Sets the memory of a root and of the tensors that share it.
  void SetMemory(TensorId root, RefPtr<Buffer> memory);
  // Whether the tensor lies in that of a concatenation that leaves the program.
  bool IsFreshPart(const TensorSlot& slot) const;

  const ShapeSpecialization& specialization_;
  std::vector<RefPtr<Buffer>> memory_;  // As ShapeSpecialization::memory.
  std::vector<DenseTensor> tensors_;
  // Indexed by tensor: the ones that are not dense; their entry in tensors_ is
  // empty.
  std::vector<OwnedTensor> others_;
  // Indexed by tensor: of a kBound or kFresh root the tensors that are written
  // in place of it, and so share its memory.
  std::vector<std::vector<TensorId>> followers_;
  std::vector<TensorId> arguments_;
  std::vector<TensorId> foreign_;
  std::vector<TensorId> fresh_parts_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_TENSORS_H_
