// SPDX-License-Identifier: Apache-2.0
// Case: a call of an operator with its tensors. A sample is one; the calls of
// the backward operators that follow from it are made by running it.
#ifndef SWITCHYARD_TESTS_EXPLAIN_CASES_H_
#define SWITCHYARD_TESTS_EXPLAIN_CASES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "eager/call/eager_op.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/arg_buffer.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {

// A call of an operator with its tensors.
struct Case {
  const eager::EagerOp* op = nullptr;
  std::vector<DenseTensor> tensors;  // By slot; without dtype where absent.
  phi::ArgLayout layout;
  std::vector<Attribute> attrs;

  const phi::OpInfo& info() const { return *op->info; }
  phi::ArgSegments segments() const { return layout.segments(); }
  std::vector<AttrRef> attr_refs() const;

  // As phi/selection/call_parser.h reads it, with strides and places.
  std::vector<std::string> InputWords() const;
  std::vector<std::string> AttrWords() const;
};

// Returns the call of a sample, if it is valid with those of its gradients.
// Errors: the sample's words, or what the calls report.
absl::StatusOr<std::vector<Case>> MakeCases(const SampleCall& sample);

// The outputs of an eager call under the thread's policy, flat.
absl::StatusOr<std::vector<DenseTensor>> RunEagerly(const Case& call);

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
