// SPDX-License-Identifier: Apache-2.0
// Signature: the text by which a plugin declares an operator
// (SyOperator::signature in phi/capi/plugin.h), and attributes as text.
#ifndef SWITCHYARD_PHI_CAPI_SIGNATURE_H_
#define SWITCHYARD_PHI_CAPI_SIGNATURE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// An operator's name and arguments, as plain values.
struct Signature {
  struct Attr {
    std::string name;
    AttrType type;
    std::optional<Attribute> default_value;
  };

  std::string name;
  std::vector<std::string> inputs, outputs;
  std::vector<Attr> attrs;
};

// Reads "soft_cap(Tensor x, double cap = 50.0) -> (Tensor out)".
// InvalidArgument for other text, for names that are no identifiers or appear
// twice, for a type that an attribute of a plugin can't have, and for a default
// of another type.
absl::StatusOr<Signature> ParseSignature(std::string_view text);

// Reads the names of a list as "x, out_grad"; an empty text is no name.
std::vector<std::string> SplitNames(std::string_view text);

// Reads the attributes of a call of `op` as "axis=[1], keepdim=true"; the
// others have their defaults. ArgumentError, without the operator's name, for
// one that it does not have, is of another type, or lacks a default.
absl::StatusOr<std::vector<Attribute>> ParseAttributes(const OpInfo& op,
                                                       std::string_view text);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_SIGNATURE_H_
