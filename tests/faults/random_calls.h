// SPDX-License-Identifier: Apache-2.0
// RandomCalls: calls of any operator by number: valid ones, nearly valid ones
// and wild ones, as OperatorCalls, by legacy type, and as text of programs. The
// same seed and number make the same call. No operator's name occurs here.
#ifndef SWITCHYARD_TESTS_FAULTS_RANDOM_CALLS_H_
#define SWITCHYARD_TESTS_FAULTS_RANDOM_CALLS_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "eager/legacy/run_legacy_op.h"
#include "phi/legacy/forms/legacy_form.h"
#include "tests/faults/operator_calls.h"

namespace switchyard {

// A call by legacy names.
struct LegacyCall {
  const phi::LegacyForm* form = nullptr;
  std::vector<eager::SlotTensors> inputs;
  std::vector<eager::LegacyAttribute> attrs;
};

// Makes the calls of one number.
class CallMaker {
 public:
  using Bases = std::map<const phi::OpInfo*, std::vector<const OperatorCall*>>;

  // `bases` (valid calls by operator) outlive it.
  CallMaker(uint64_t seed, int64_t index, const Bases& bases);

  // A call of `op`: a valid one, unchanged or changed, or a wild one.
  OperatorCall Call(const eager::EagerOp& op);
  // A call of `form`, whose operator is `op`.
  LegacyCall Legacy(const phi::LegacyForm& form, const eager::EagerOp& op);
  // Changes a few characters, numbers or lines of a program's text.
  void ChangeText(std::string* text);

  // A number from 0 to `count` - 1.
  size_t Below(size_t count);
  // True `percent` times in a hundred.
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  DenseTensor AnyTensor();

 private:
  OperatorCall WildCall(const eager::EagerOp& op);
  void Change(OperatorCall* call);
  Attribute AnyAttribute(AttrType type);
  int64_t AnyInteger();
  double AnyReal();
  Shape AnyShape();
  DenseTensor Filled(DataType dtype, const Shape& shape);
  double AnyElement(DataType dtype);
  DenseTensor AnyView(const DenseTensor& tensor);

  const Bases& bases_;
  std::mt19937_64 random_;
  int64_t extents_[2];  // So that extents agree now and then.
  DataType dtype_;      // And dtypes.
};

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_RANDOM_CALLS_H_
