// SPDX-License-Identifier: Apache-2.0
// AnomalyCheck: finds the call that made NaN or infinity of numbers that were
// none. Both executors ask it where detect_anomaly is on: eager/call/run.cc and
// static_graph/executor/frame/checked_launches.cc.
#ifndef SWITCHYARD_PHI_CORE_ANOMALY_ANOMALY_H_
#define SWITCHYARD_PHI_CORE_ANOMALY_ANOMALY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/attribute.h"
#include "phi/core/anomaly/number_range.h"
#include "phi/core/arg_list.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Compares the numbers that one call read with those that it wrote. An anomaly
// is a NaN or an infinity where all that was read is finite, and a NaN where
// nothing that was read has one. What a call reads are its inputs, except those
// of which it takes the metadata alone, and its numbers of attributes. A call
// that reads no tensor (full) may write anything. Outputs that are there for
// the gradient alone don't count.
//
//   AnomalyCheck check(info, inputs, attrs);
//   SY_RETURN_IF_ERROR(check.ReadInputs());  // What it may write over.
//   ...                                      // The call.
//   SY_RETURN_IF_ERROR(check.CheckOutputs(outputs));
class AnomalyCheck {
 public:
  // Borrows the operator and the arguments.
  AnomalyCheck(const OpInfo& info,
               const ArgList<const TensorBase* const>& inputs,
               absl::Span<const AttrRef> attrs)
      : info_(info), inputs_(inputs), attrs_(attrs) {}

  // Reads the inputs, unless that is done. CheckOutputs() does it where it
  // needs to, so only a call that may write over one has to. Errors are those
  // of copying from a device.
  absl::Status ReadInputs();
  // Returns "out has NaN at [0, 3], though x (from 0 to 1) is finite" for an
  // anomaly (IsAnomaly), without the operator's name. `outputs` are null where
  // not wanted, and may lack memory.
  absl::Status CheckOutputs(const ArgList<const TensorBase* const>& outputs);

 private:
  // An input that is read.
  struct Input {
    int argument = 0;
    int position = -1;  // In a list.
    NumberRange range;
  };

  bool AttributesAreFinite() const;
  std::string InputsText(bool finite) const;

  const OpInfo& info_;
  const ArgList<const TensorBase* const> inputs_;
  const absl::Span<const AttrRef> attrs_;
  bool known_ = false;
  bool finite_ = true;  // All that is read.
  bool has_nan_ = false;
  std::vector<Input> read_;
};

// Returns true if the error is one of AnomalyCheck. Becomes FloatingPointError
// in Python.
bool IsAnomaly(const absl::Status& status);

// Returns an anomaly with `text` after its message, which says where the call
// is: " (at <file>:<line>)". The first place counts: any other status, and an
// anomaly that has a place already, stay.
absl::Status PlaceAnomaly(const absl::Status& status, std::string_view text);
// Returns true for an anomaly that PlaceAnomaly() gave a place.
bool IsPlacedAnomaly(const absl::Status& status);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ANOMALY_ANOMALY_H_
