// SPDX-License-Identifier: Apache-2.0
// Attributes of calls that are described by words (call_parser.h): from text to
// values. framework/types/attribute.h writes values as text.
#ifndef SWITCHYARD_PHI_SELECTION_ATTRIBUTE_TEXT_H_
#define SWITCHYARD_PHI_SELECTION_ATTRIBUTE_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "framework/types/attribute.h"
#include "framework/types/dim.h"

namespace switchyard::phi::selection {

// Reads "?", or "s3" for an extent that equals each other one of that name.
// Returns nullopt for other text.
std::optional<Dim> ParseOpenDim(absl::string_view text);

// Reads a value of `type`: "-1", "true", "nearest" with or without quotation
// marks, "float64", "cpu", "complex(1, 2)"; a list as "[1, 2]", as "{1, 2}",
// which signatures have, or as "1, 2". Returns nullopt for other text.
std::optional<Attribute> ParseAttribute(AttrType type, const std::string& text);

// Reads the elements of an attribute that tensors supply, some of them not
// known: "[2, ?]" for a list, "?" for a number. Returns nullopt for other text,
// and where all are known: that is a value.
std::optional<std::vector<AttrValue>> ParseElements(AttrType type,
                                                    absl::string_view text);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_ATTRIBUTE_TEXT_H_
