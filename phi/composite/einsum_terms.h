// SPDX-License-Identifier: Apache-2.0
// The terms of einsum's equation: labels of the axes of operands and result.
// What is computed of them is einsum.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_EINSUM_TERMS_H_
#define SWITCHYARD_PHI_COMPOSITE_EINSUM_TERMS_H_

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The labels of a tensor's axes: letters, and for the axes that "..." stands
// for 256 plus the distance from the last of them.
using EinsumLabels = std::vector<int>;

// Says which labels the axes of each operand and of the result have.
struct EinsumTerms {
  std::vector<EinsumLabels> operands;
  EinsumLabels result;
};

// Parts of the einsum composite, not operators' composites themselves.
namespace einsum {

inline constexpr int kEllipsis = 256;

inline bool Has(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

inline absl::Status Malformed(std::string_view equation,
                              const std::string& expected) {
  return ArgumentError("equation", expected, Quoted(equation));
}

// The labels of one term, in which "..." stands for `ellipsis` axes; fewer than
// 0 for none.
inline absl::StatusOr<EinsumLabels> ParseTerm(std::string_view equation,
                                              std::string_view term,
                                              int ellipsis) {
  EinsumLabels labels;
  bool seen = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == "..." && !seen && ellipsis >= 0) {
      for (int axis = ellipsis - 1; axis >= 0; --axis) {
        labels.push_back(kEllipsis + axis);
      }
      seen = true;
      i += 2;
    } else {
      return Malformed(equation, "of letters and a \"...\" for each operand");
    }
  }
  return labels;
}

// How many axes "..." stands for in a term of an operand of `rank`.
inline int EllipsisAxes(std::string_view term, int rank) {
  if (term.find("...") == std::string_view::npos) return 0;
  return rank - static_cast<int>(term.size()) + 3;
}

// The result's labels where the equation does not say them: those of "...",
// then each letter that is there once, in alphabetical order.
inline EinsumLabels ImpliedResult(const std::vector<EinsumLabels>& operands,
                                  int ellipsis) {
  std::map<int, int> counts;
  for (const EinsumLabels& labels : operands) {
    for (const int label : labels) ++counts[label];
  }
  EinsumLabels result;
  for (int axis = ellipsis - 1; axis >= 0; --axis) {
    result.push_back(kEllipsis + axis);
  }
  for (const auto& [label, count] : counts) {
    if (label < kEllipsis && count == 1) result.push_back(label);
  }
  return result;
}

// ArgumentError unless `result` has each label once, all of them from the
// operands, and those of "...".
inline absl::Status CheckResult(std::string_view equation,
                                const EinsumTerms& terms) {
  EinsumLabels seen;
  for (const int label : terms.result) {
    const auto has = [&](const EinsumLabels& labels) {
      return Has(labels, label);
    };
    const bool known =
        std::any_of(terms.operands.begin(), terms.operands.end(), has);
    if (!known || Has(seen, label)) {
      return Malformed(equation,
                       "such that the result has labels of operands, each "
                       "once");
    }
    seen.push_back(label);
  }
  for (const EinsumLabels& labels : terms.operands) {
    for (const int label : labels) {
      if (label < kEllipsis || Has(terms.result, label)) continue;
      return Malformed(equation, "with \"...\" in the result as in operands");
    }
  }
  return absl::OkStatus();
}

}  // namespace einsum

// Reads an equation like "bij,jk->bik" for operands of these ranks.
// ArgumentError where it does not fit them.
inline absl::StatusOr<EinsumTerms> ParseEinsum(std::string_view equation,
                                               const std::vector<int>& ranks) {
  absl::InlinedVector<char, 64> letters;
  std::remove_copy(equation.begin(), equation.end(),
                   std::back_inserter(letters), ' ');
  const std::string_view text(letters.data(), letters.size());
  const size_t arrow = text.find("->");
  std::string_view rest = text.substr(0, arrow);
  EinsumTerms terms;
  int ellipsis = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == ranks.size())) {
      return einsum::Malformed(equation, "of a term for each of " +
                                             std::to_string(ranks.size()) +
                                             " operands");
    }
    const std::string_view term = rest.substr(0, comma);
    const int axes = einsum::EllipsisAxes(term, ranks[i]);
    SY_ASSIGN_OR_RETURN(EinsumLabels labels,
                        einsum::ParseTerm(equation, term, axes));
    if (labels.size() != static_cast<size_t>(ranks[i])) {
      return einsum::Malformed(equation,
                               "such that term " + std::to_string(i) + " has " +
                                   std::to_string(ranks[i]) + " labels");
    }
    terms.operands.push_back(std::move(labels));
    ellipsis = std::max(ellipsis, axes);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (arrow == std::string_view::npos) {
    terms.result = einsum::ImpliedResult(terms.operands, ellipsis);
    return terms;
  }
  SY_ASSIGN_OR_RETURN(
      terms.result,
      einsum::ParseTerm(equation, text.substr(arrow + 2), ellipsis));
  SY_RETURN_IF_ERROR(einsum::CheckResult(equation, terms));
  return terms;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EINSUM_TERMS_H_
