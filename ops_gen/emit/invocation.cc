// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/invocation.h"

#include "framework/types/data_type.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {

std::vector<std::string> InvokedArguments(const Op& op) {
  std::vector<std::string> items;
  for (const std::string& argument : op.invoke->arguments) {
    const bool dtype =
        argument == "undefined" || ParseDataType(argument).has_value();
    const bool own = FindInput(op.signature.arguments, argument) >= 0 ||
                     FindAttr(op.signature.arguments, argument) >= 0;
    items.push_back(dtype && !own ? DtypeEnumerator(argument) : argument);
  }
  return items;
}

bool EndsInUnderscore(const Op& op) { return op.name.back() == '_'; }

bool HasInplaceForm(const Op& op) {
  if (EndsInUnderscore(op) || op.gradient.has_value()) return false;
  for (const OutputFacts& facts : op.output_facts) {
    if (facts.inplace_of >= 0) return true;
  }
  return false;
}

}  // namespace switchyard::ops_gen
