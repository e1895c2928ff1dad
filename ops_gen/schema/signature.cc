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

template <typename Decl>
std::vector<std::string_view> Names(const std::vector<Decl>& decls) {
  std::vector<std::string_view> names;
  for (const Decl& decl : decls) names.push_back(decl.name);
  return names;
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

std::vector<std::string_view> InputNames(const Arguments& arguments) {
  return Names(arguments.inputs);
}

std::vector<std::string_view> AttrNames(const Arguments& arguments) {
  return Names(arguments.attrs);
}

std::vector<std::string_view> OutputNames(
    const std::vector<OutputDecl>& outputs) {
  return Names(outputs);
}

}  // namespace switchyard::ops_gen
