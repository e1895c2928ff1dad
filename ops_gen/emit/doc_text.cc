// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/doc_text.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/schema/dtype_sets.h"

namespace switchyard::ops_gen {
namespace {

// A rule of phi/infermeta and its sentence about the result, in which $0 and $1
// are the rule's first parameters.
struct Rule {
  std::string_view func;
  const char* result;
};
constexpr Rule kRules[] = {
    {"UnchangedInferMeta", "of the shape and dtype of `$0`"},
    {"BroadcastInferMeta", "of the broadcast shape of `$0` and `$1`"},
    {"CompareInferMeta", "bool, of the broadcast shape of `$0` and `$1`"},
    {"LogicalNotInferMeta", "bool, of the shape of `$0`"},
    {"SoftmaxInferMeta", "of the shape and dtype of `$0`"},
    {"SquareMatrixInferMeta", "of the shape and dtype of `$0`"},
    {"TriangleInferMeta", "of the shape and dtype of `$0`"},
};

std::string Quoted(const std::string& name) {
  return absl::StrCat("`", name, "`");
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
  if (taken.size() == ordered.size()) return "all of them";
  ordered.erase(std::remove_if(ordered.begin(), ordered.end(),
                               [&](const std::string& dtype) {
                                 return taken.count(dtype) == 0;
                               }),
                ordered.end());
  return absl::StrJoin(ordered, ", ");
}

std::string ResultText(const Op& op) {
  if (!op.infer_meta.has_value()) return "";
  const auto* rule = std::find_if(
      std::begin(kRules), std::end(kRules),
      [&](const Rule& r) { return r.func == op.infer_meta->func; });
  if (rule == std::end(kRules)) return "";
  std::vector<std::string> names = op.infer_meta->params;
  names.resize(std::max<size_t>(names.size(), 2));
  return absl::Substitute(rule->result, names[0], names[1]);
}

std::string PromotedText(const Op& op) {
  std::vector<std::string> names;
  for (const int input : op.promotion.inputs) {
    names.push_back(Quoted(op.signature.arguments.inputs[input].name));
  }
  return absl::StrJoin(names, ", ");
}

std::string FunctionComment(const Op& op) {
  std::string text = op.doc;
  const std::string result = ResultText(op);
  const std::string dtypes = DtypesText(op);
  const std::string promoted = PromotedText(op);
  if (!result.empty()) absl::StrAppend(&text, " The result is ", result, ".");
  if (!dtypes.empty()) absl::StrAppend(&text, " Dtypes: ", dtypes, ".");
  if (!promoted.empty()) {
    absl::StrAppend(&text, " Promoted to one dtype: ", promoted, ".");
  }
  return Comment(text);
}

}  // namespace switchyard::ops_gen
