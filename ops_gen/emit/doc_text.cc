// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/doc_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/schema/dtype_sets.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kAllDtypes[] = "all of them";

std::string Quoted(const std::string& name) {
  return absl::StrCat("`", name, "`");
}

// The dtype by which a kernel is chosen; an operator with a composite body too
// may run by that where no kernel takes the dtype.
std::vector<std::string> DtypesRefused(const Op& op) {
  if (op.composite.has_value() || DtypesText(op) == kAllDtypes) return {};
  const int input = op.dtype.input;
  const int attr = op.dtype.attr;
  if (attr >= 0) {
    return {absl::StrCat(Quoted(op.signature.arguments.attrs[attr].name),
                         " is not one of these dtypes")};
  }
  if (input < 0) return {};
  const std::vector<int>& promoted = op.promotion.inputs;
  const bool first =
      std::find(promoted.begin(), promoted.end(), input) != promoted.end();
  return {absl::StrCat(Quoted(op.signature.arguments.inputs[input].name),
                       " is not of one of these dtypes",
                       first ? " after promotion" : "")};
}

}  // namespace

std::string DtypesText(const Op& op) {
  if (!op.kernel.has_value()) return "";
  std::set<std::string> taken;
  for (const KernelFunction& function : op.kernel->functions) {
    for (const auto& [backend, dtypes] : function.coverage) {
      taken.insert(dtypes.begin(), dtypes.end());
    }
  }
  // The last set holds every dtype.
  std::vector<std::string> ordered = DtypesOfSet(DtypeSetNames().back());
  if (taken.size() == ordered.size()) return kAllDtypes;
  ordered.erase(std::remove_if(ordered.begin(), ordered.end(),
                               [&](const std::string& dtype) {
                                 return taken.count(dtype) == 0;
                               }),
                ordered.end());
  return absl::StrJoin(ordered, ", ");
}

std::string ResultText(const Op& op, bool intermediate) {
  std::vector<std::string> parts;
  const size_t outputs = op.signature.outputs.size();
  for (size_t i = 0; i < outputs; ++i) {
    const OutputFacts& facts = op.output_facts[i];
    if (facts.result.empty()) continue;
    if (facts.intermediate && !intermediate) continue;
    parts.push_back(absl::StrCat(
        outputs == 1 ? "The result" : Quoted(op.signature.outputs[i].name),
        op.signature.outputs[i].list() ? " has tensors " : " is ", facts.result,
        "."));
  }
  return absl::StrJoin(parts, " ");
}

std::string PromotedText(const Op& op) {
  std::vector<std::string> names;
  for (const int input : op.promotion.inputs) {
    names.push_back(Quoted(op.signature.arguments.inputs[input].name));
  }
  return absl::StrJoin(names, ", ");
}

std::string RefusedText(const Op& op) {
  if (!op.kernel.has_value()) return "";
  const Arguments& arguments = op.signature.arguments;
  std::vector<std::string> parts = DtypesRefused(op);
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    std::set<std::string> kinds;
    for (const KernelFunction& function : op.kernel->functions) {
      kinds.insert(function.input_kinds[i]);
    }
    // Tensors of some other kinds are made dense where a kernel wants that.
    if (kinds.count("dense") != 0) continue;
    parts.push_back(absl::StrCat(Quoted(arguments.inputs[i].name), " is not ",
                                 absl::StrJoin(kinds, " or ")));
  }
  return absl::StrJoin(parts, " or ");
}

std::string FunctionComment(const Op& op, ErrorStyle errors) {
  const bool throws = errors == ErrorStyle::kThrows;
  std::string text = op.doc;
  const std::string result = ResultText(op, /*intermediate=*/!throws);
  const std::string dtypes = DtypesText(op);
  const std::string promoted = PromotedText(op);
  const std::string refused = RefusedText(op);
  if (!result.empty()) absl::StrAppend(&text, " ", result);
  if (!dtypes.empty()) absl::StrAppend(&text, " Dtypes: ", dtypes, ".");
  if (!promoted.empty()) {
    absl::StrAppend(&text, " Promoted to one dtype: ", promoted, ".");
  }
  absl::StrAppend(&text, throws ? " Throws OpError" : " Returns an error",
                  " for a shape or a value that it cannot take",
                  refused.empty() ? "" : ", or if ", refused, ".");
  return Comment(text);
}

}  // namespace switchyard::ops_gen
