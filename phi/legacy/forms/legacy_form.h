// SPDX-License-Identifier: Apache-2.0
// LegacyForm: how one legacy ("fluid") operator type names the slots and
// attributes of an operator, as constant data generated from the `fluid:` lists
// of the YAML files. A renaming and no more. Its readers: legacy kernels
// (phi/legacy/kernels), calls by legacy name (eager/legacy), importers of old
// programs (static_graph/translate). The operator's own description is OpInfo.
//
// One constant per legacy type is generated, `legacy_softmax` in
// //phi/legacy/forms:softmax (a target per operator), for gradients too: the
// form of softmax_grad names the forward slots, "Out@GRAD" and "X@GRAD", and
// lists the forward slots that it does not read as dispensable.
// AllLegacyForms() is in phi/legacy/forms/every_operator.h.
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_FORM_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_FORM_H_

#include <cstdint>
#include <limits>
#include <string_view>

#include "absl/types/span.h"
#include "framework/types/attribute.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// A slot of a legacy operator and the input or output that it is for us.
struct LegacySlot {
  const char* name;       // "X", "Out@GRAD"
  int16_t argument = -1;  // Our input (output); -1: known, not used by us.
  int16_t supplies = -1;  // Our attribute that this input gives, if it is
                          // present: a tensor that supplies an attribute.
  // Our attribute that this input gives by what it is: a DataType by its dtype,
  // an int by its extent along the attribute `axis` (ReadGiven).
  int16_t gives = -1;
  bool duplicable = false;    // May hold any number of variables.
  bool dispensable = false;   // May be absent.
  bool intermediate = false;  // An output that only the gradient reads.
};

// A value that a legacy attribute may have, of its type.
struct LegacyValue {
  AttrRef value;
  bool mapped = false;
  AttrRef ours = {};  // What our attribute becomes; without `mapped`, the same.
};

// Says which end of our list an int is, whose numbers are all from the first to
// the last.
enum class LegacyBound : uint8_t { kNone, kFirst, kLast };

// An attribute of a legacy operator and the one that it is for us.
struct LegacyAttr {
  const char* name;
  int16_t attr = -1;  // Our attribute; -1: none, `values` are all it may be.
  // As old programs hold it; kDataType: the number of the legacy enumeration
  // (phi/legacy/forms/legacy_data_type.h), -1 for undefined.
  AttrType type;
  bool has_default = false;
  AttrRef default_value = {};  // Of `type`; a DataType by our enumeration.
  absl::Span<const LegacyValue> values = {};  // Others are refused; empty: any.
  bool has_unset = false;  // There is a value that leaves our attribute alone:
  AttrRef unset = {};
  bool repeats = false;  // An int: our list is `repeated`, that many times.
  int64_t repeated = 0;
  LegacyBound bound = LegacyBound::kNone;
  // The least and the most that a number may be, both themselves allowed.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// The value that one of our attributes always has in this form.
struct LegacyConstant {
  int16_t attr;
  AttrRef value;
};

// Says how one legacy operator type names the slots and attributes of an
// operator.
struct LegacyForm {
  const char* type;  // "elementwise_add"
  const OpInfo* op;
  absl::Span<const LegacySlot> inputs;
  absl::Span<const LegacySlot> outputs;
  absl::Span<const LegacyAttr> attrs;
  absl::Span<const LegacyConstant> constants;
  absl::Span<const char* const> extra;  // No value of them changes a result.
  const char* grad_type;                // "softmax_grad"; "" without gradient.

  // Returns null if there is none of that name. Linear: slots are few.
  const LegacySlot* input(std::string_view name) const {
    return Named(inputs, name);
  }
  const LegacySlot* output(std::string_view name) const {
    return Named(outputs, name);
  }
  const LegacyAttr* attr(std::string_view name) const {
    return Named(attrs, name);
  }

 private:
  template <typename Row>
  static const Row* Named(absl::Span<const Row> rows, std::string_view name) {
    for (const Row& row : rows) {
      if (name == row.name) return &row;
    }
    return nullptr;
  }
};

// Several attributes of a form may lead to one of ours: the last that is not at
// its `unset` value wins (reduce_all over dim, str_value over value).

// The forms of one operator, `legacy_forms_of_<op>`.
struct LegacyFormsOf {
  absl::Span<const LegacyForm* const> forms;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_FORM_H_
