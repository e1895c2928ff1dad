// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/invoked_arguments.h"

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

}  // namespace switchyard::ops_gen
