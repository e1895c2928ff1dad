// SPDX-License-Identifier: Apache-2.0
// A family file (ops_gen/ops/<family>.yaml) into a Family. Any text gives a
// Family or an error that begins with file:line; nothing else happens.
#ifndef SWITCHYARD_OPS_GEN_PARSER_FAMILY_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_FAMILY_PARSER_H_

#include <string>

#include "absl/status/statusor.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// `file` is named in errors and gives the family its name.
absl::StatusOr<Family> ParseFamily(const std::string& file,
                                   const std::string& text);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_FAMILY_PARSER_H_
