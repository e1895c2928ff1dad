// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/named_op.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {

absl::Status LacksOperator(std::string_view need, std::string_view name) {
  return absl::UnimplementedError(
      absl::StrCat(std::string(need), " the operator ", std::string(name)));
}

}  // namespace switchyard::static_graph
