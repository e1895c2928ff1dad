// SPDX-License-Identifier: Apache-2.0
// OnnxForm: how ONNX calls an operator, as constant data generated from the
// `onnx:` lists of the YAML files. A renaming and no more: what a node computes
// otherwise is a lowering, by hand, or an operator of its own.
//
// All forms are in phi/onnx/every_operator.h. LegacyCall (phi/legacy/forms)
// makes a call of our operator of a node that a form fits.
#ifndef SWITCHYARD_PHI_ONNX_ONNX_FORM_H_
#define SWITCHYARD_PHI_ONNX_ONNX_FORM_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi {

// The dtypes that an input of a form may have.
struct OnnxDtypes {
  int16_t input;
  absl::Span<const DataType> dtypes;

  bool Contains(DataType dtype) const {
    return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
  }
};

// A form of one operator type of a domain, for some of the domain's versions.
struct OnnxForm {
  const char* domain;  // "" is ai.onnx.
  int since;           // The first version of the domain that it is for.
  int before;          // The first that it isn't for; 0: there is none.
  // The dtypes of inputs that may not have every one. Where two forms are for
  // the same version of a type, they differ by these.
  absl::Span<const OnnxDtypes> dtypes;
  // The type, and what it names. Nodes have no names of slots: the n-th slot
  // here is the n-th of the node, by the name that it has in ONNX's schema; one
  // that is `duplicable` has all that follow. An attribute of type kDataType is
  // a number of ONNX's enumeration there.
  LegacyForm names;

  bool IsFor(int64_t version) const {
    return version >= since && (before == 0 || version < before);
  }
  // Returns whether inputs of these dtypes, by position, fit. kUndefined fits
  // everywhere: of an input that isn't there, or whose dtype is unknown.
  bool Takes(absl::Span<const DataType> inputs) const {
    return std::all_of(
        dtypes.begin(), dtypes.end(), [&](const OnnxDtypes& allowed) {
          const auto at = static_cast<size_t>(allowed.input);
          return at >= inputs.size() || inputs[at] == DataType::kUndefined ||
                 allowed.Contains(inputs[at]);
        });
  }
};

// The forms of one operator, `onnx_forms_of_<op>`.
struct OnnxFormsOf {
  absl::Span<const OnnxForm> forms;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_ONNX_ONNX_FORM_H_
