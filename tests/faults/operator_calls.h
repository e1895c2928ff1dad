// SPDX-License-Identifier: Apache-2.0
// Calls of operators to be spoilt: valid ones, taken from the sample lists
// (tests/samples) and the generated table of operators, and the same with one
// argument changed. No operator's name occurs here.
#ifndef SWITCHYARD_TESTS_FAULTS_OPERATOR_CALLS_H_
#define SWITCHYARD_TESTS_FAULTS_OPERATOR_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"
#include "framework/types/attribute.h"
#include "phi/core/arg_buffer.h"

namespace switchyard {

// A call of an operator.
struct OperatorCall {
  const eager::EagerOp* op = nullptr;
  std::vector<DenseTensor> inputs;  // By slot; without dtype where absent.
  phi::ArgLayout layout;            // Of the inputs.
  std::vector<Attribute> attrs;     // All, in the operator's order.
  std::string change;               // "out_grad: rank 0"; "" for a valid call.

  phi::ArgSegments segments() const { return layout.segments(); }
  std::vector<AttrRef> attr_refs() const;
};

// All outputs of an eager call by slot, undefined where the operator yields
// none. With `recorded`, inputs of floating dtypes require grad.
absl::StatusOr<std::vector<eager::Tensor>> RunEager(const OperatorCall& call,
                                                    bool recorded);

// The operators that ValidCalls() is asked for.
enum class Operators { kEvery, kGradientsAndComposites };

// Valid calls of the operators: of the samples in `folder`, of the gradients of
// what they yield, and of theirs. Some few an operator, on small tensors of one
// dtype. Fails the test where a sample can't be read.
std::vector<OperatorCall> ValidCalls(const std::string& folder,
                                     Operators asked);

// `call` with one argument changed, in every way that is known here: tensors of
// another rank, extent or dtype, or absent; attributes at the ends of their
// ranges, lists too short, too long and empty.
std::vector<OperatorCall> ChangedCalls(const OperatorCall& call);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_OPERATOR_CALLS_H_
