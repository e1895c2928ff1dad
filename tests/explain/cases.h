// SPDX-License-Identifier: Apache-2.0
// Case: a call of an operator with its tensors. A sample is one; the calls of
// the backward operators that follow from it are made by running it.
#ifndef SWITCHYARD_TESTS_EXPLAIN_CASES_H_
#define SWITCHYARD_TESTS_EXPLAIN_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "eager/call/eager_op.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_base.h"
#include "phi/core/arg_buffer.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {

// A tensor of any kind.
struct CaseTensor {
  DenseTensor dense;
  std::shared_ptr<const TensorBase> other;  // Instead, where it is not dense.

  const TensorBase& base() const {
    return other == nullptr ? static_cast<const TensorBase&>(dense) : *other;
  }
};

// A call of an operator with its tensors.
struct Case {
  const eager::EagerOp* op = nullptr;
  // Indexed by slot; without dtype where absent, or where `others` has it.
  std::vector<DenseTensor> tensors;
  // Indexed by slot, or empty: tensors of other kinds than dense.
  std::vector<std::shared_ptr<const TensorBase>> others;
  phi::ArgLayout layout;
  std::vector<Attribute> attrs;

  const phi::OpInfo& info() const { return *op->info; }
  phi::ArgSegments segments() const { return layout.segments(); }
  std::vector<AttrRef> attr_refs() const;
  // Returns the tensor of a slot, of any kind; without dtype where absent.
  const TensorBase& tensor(size_t slot) const {
    return others.empty() || others[slot] == nullptr
               ? static_cast<const TensorBase&>(tensors[slot])
               : *others[slot];
  }

  // As phi/selection/call_parser.h reads it, with strides and places.
  std::vector<std::string> InputWords() const;
  std::vector<std::string> AttrWords() const;
};

// Returns the call of a sample, if it is valid with those of its gradients.
// Errors: the sample's words, or what the calls report.
absl::StatusOr<std::vector<Case>> MakeCases(const SampleCall& sample);

// Returns the outputs of an eager call under the thread's policy, flat.
absl::StatusOr<std::vector<CaseTensor>> RunEagerly(const Case& call);

// Returns the call on tensors that are not contiguous. Inputs that are handed
// over as they are (skip_transform) stay.
Case Strided(const Case& call);

// Returns the call on contiguous tensors.
Case Contiguous(const Case& call);

// Returns a tensor over a copy of the whole buffer of `x` on `place`, whatever
// it views: one that is metadata alone has a byte.
absl::StatusOr<DenseTensor> Moved(const DenseTensor& x, Place place);

// True for the state of random numbers, which eager makes on the host.
bool IsRandomState(const Case& call, int slot);

// Returns the call of the gradient, and that of its gradient and so on; empty
// if eager would not record the call.
absl::StatusOr<std::vector<Case>> BackwardCases(const Case& call);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_CASES_H_
