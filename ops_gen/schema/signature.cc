// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/signature.h"

namespace switchyard::ops_gen {
namespace {

template <typename Decl>
int Find(const std::vector<Decl>& decls, const std::string& name) {
  for (size_t i = 0; i < decls.size(); ++i) {
    if (decls[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

int FindInput(const Arguments& arguments, const std::string& name) {
  return Find(arguments.inputs, name);
}

int FindAttr(const Arguments& arguments, const std::string& name) {
  return Find(arguments.attrs, name);
}

int FindOutput(const std::vector<OutputDecl>& outputs,
               const std::string& name) {
  return Find(outputs, name);
}

}  // namespace switchyard::ops_gen
