// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrites/rewrite_operators.h"

#include <limits>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/foreign/load_budget.h"

namespace switchyard::static_graph {
namespace {

// The first version in which an end of -1 is the last position whatever the
// stride.
constexpr int64_t kEndsFromBehind = 3'000'000;

template <typename T>
bool IsNegative(absl::Span<const T> strides, size_t i) {
  return i < strides.size() && strides[i] < 0;
}

bool IsNegative(const ForeignAttr& strides, size_t i) {
  return strides.kind == ForeignKind::kInts
             ? IsNegative(strides.list<int32_t>(), i)
             : IsNegative(strides.list<int64_t>(), i);
}

template <typename T>
void RewriteEnds(const ForeignAttr& strides, absl::Span<T> ends) {
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == -1 && IsNegative(strides, i)) {
      ends[i] = std::numeric_limits<int32_t>::min();
    }
  }
}

// A list of integers, of either width.
bool IsWhole(const ForeignAttr* list) {
  return list != nullptr && (list->kind == ForeignKind::kInts ||
                             list->kind == ForeignKind::kLongs);
}

void RewriteEnds(ForeignOperator* op) {
  const bool slice =
      op->type == "strided_slice" || op->type == "strided_slice_grad";
  const bool set = op->type == "set_value" || op->type == "set_value_grad";
  if (!slice && !set) return;
  const ForeignAttr* const strides = op->attr(slice ? "strides" : "steps");
  ForeignAttr* const ends = op->attr("ends");
  if (!IsWhole(strides) || !IsWhole(ends)) return;
  if (ends->kind == ForeignKind::kInts) {
    RewriteEnds(*strides, ends->mutable_list<int32_t>());
  } else {
    RewriteEnds(*strides, ends->mutable_list<int64_t>());
  }
}

bool IsOn(const ForeignOperator& op, std::string_view name) {
  const ForeignAttr* const attr = op.attr(name);
  return attr != nullptr && attr->flag();
}

bool IsSparseGradient(const ForeignOperator& op) {
  return (op.type == "lookup_table_grad" ||
          op.type == "lookup_table_v2_grad") &&
         IsOn(op, "is_sparse");
}

// A power of adam's that it advances in place, and the attribute by which.
struct Power {
  const char* in;
  const char* out;
  const char* supplied;  // The slot that has the factor instead.
  const char* factor;
  float otherwise;  // Where the operator has no such attribute.
};
constexpr Power kPowers[] = {
    {"Beta1Pow", "Beta1PowOut", "Beta1Tensor", "beta1", 0.9f},
    {"Beta2Pow", "Beta2PowOut", "Beta2Tensor", "beta2", 0.999f}};

bool IsFloat(const ForeignAttr& attr) {
  return attr.kind == ForeignKind::kFloat && attr.present;
}

// Whether adam advances its powers in place by numbers that are attributes.
bool AdvancesInPlace(const ForeignOperator& op) {
  if (op.type != Rewrites::kAdam || IsOn(op, "use_global_beta_pow") ||
      !OnlyVariable(op.inputs, "SkipUpdate").empty()) {
    return false;
  }
  for (const Power& power : kPowers) {
    const std::string name = OnlyVariable(op.inputs, power.in);
    const ForeignAttr* const factor = op.attr(power.factor);
    if (name.empty() || name != OnlyVariable(op.outputs, power.out) ||
        !OnlyVariable(op.inputs, power.supplied).empty() ||
        (factor != nullptr && !IsFloat(*factor))) {
      return false;
    }
  }
  return true;
}

void AddSlot(const char* name, const std::string& variable,
             ReusedList<ForeignSlot>* slots) {
  ForeignSlot& slot = slots->Add();
  slot.name = name;
  slot.variables.Add() = variable;
}

ForeignOperator ScaleInPlace(const std::string& name, float factor) {
  ForeignOperator scale;
  scale.type = "scale";
  AddSlot("X", name, &scale.inputs);
  AddSlot("Out", name, &scale.outputs);
  ForeignAttr& attr = scale.attrs.Add();
  attr.name = "scale";
  attr.Set(factor);
  return scale;
}

// Returns the operator that advances a power of an adam's.
ForeignOperator AdvancePower(const ForeignOperator& adam, const Power& power) {
  const ForeignAttr* const factor = adam.attr(power.factor);
  return ScaleInPlace(OnlyVariable(adam.inputs, power.in),
                      factor == nullptr ? power.otherwise
                                        : static_cast<float>(factor->number()));
}

// Lets an adam read powers that have advanced.
void LeavePowers(ForeignOperator* adam) {
  ForeignAttr* global = adam->attr("use_global_beta_pow");
  if (global == nullptr) {
    global = &adam->attrs.Add();
    global->name = "use_global_beta_pow";
  }
  global->Set(true);
}

// Calls visit(name) for each variable that `slots` name.
template <typename Visit>
void VisitVariables(const ReusedList<ForeignSlot>& slots, const Visit& visit) {
  for (const ForeignSlot& slot : slots) {
    for (const std::string& name : slot.variables) visit(name);
  }
}

// A sparse gradient of PaddlePaddle has rows of the padding index, too.
void TakePaddingAlong(ForeignOperator* op) {
  ForeignAttr* const padding = op->attr("padding_idx");
  if (padding != nullptr && padding->kind == ForeignKind::kLong) {
    padding->SetInteger(-1);
  }
}

void DropSums(ForeignOperator* op) {
  if (op->type != "data_norm_grad") return;
  for (size_t i = op->outputs.size(); i-- > 0;) {
    const std::string& name = op->outputs[i].name;
    if (name == "BatchSize" || name == "BatchSum" || name == "BatchSquareSum") {
      op->outputs.Remove(i);
    }
  }
}

}  // namespace

bool Rewrites::MakesRows(std::string_view type) {
  return type == "lookup_table_grad" || type == "lookup_table_v2_grad" ||
         type == "sum";
}

void Rewrites::SetVersion(int64_t version) {
  old_ends_ = version < kEndsFromBehind;
}

// Returns whether an operator adds two or more variables that are all noted.
bool Rewrites::SumsRows(const ForeignOperator& op) const {
  if (op.type != "sum" || OnlyVariable(op.outputs, "Out").empty()) {
    return false;
  }
  int count = 0;
  bool noted = true;
  VisitVariables(op.inputs, [&](const std::string& name) {
    ++count;
    noted = noted && Contains(gradients_, name);
  });
  return noted && count > 1;
}

void Rewrites::NoteGradients(const ForeignOperator& op) {
  const int64_t number = noted_++;
  if (IsSparseGradient(op)) {
    VisitVariables(op.outputs, [&](const std::string& name) {
      if (gradients_.emplace(name, Readers()).second) {
        held_ += LoadBudget::SizeOfEntry(name);
      }
    });
  } else if (SumsRows(op)) {
    Sum& sum = sums_.emplace_back();
    sum.number = number;
    sum.result = OnlyVariable(op.outputs, "Out");
    // The list of sums grows by doubling, and so does that of the terms.
    held_ += 2 * sizeof(Sum) + 2 * LoadBudget::SizeOfEntry(sum.result);
    VisitVariables(op.inputs, [&](const std::string& name) {
      sum.terms.push_back(name);
      held_ += LoadBudget::SizeOfEntry(name);
    });
    gradients_[sum.result] = {};
  }
}

void Rewrites::NoteReads(const ForeignOperator& op) {
  const int64_t number = read_++;
  if (next_sum_ < sums_.size() && sums_[next_sum_].number == number) {
    ++next_sum_;
    return;
  }
  const bool rows = op.type == kAdam || op.type == "adamw";
  VisitVariables(op.inputs, [&](const std::string& name) {
    const auto found = gradients_.find(name);
    if (found == gradients_.end()) return;
    found->second.takes_rows |= rows;
    found->second.takes_dense |= !rows && op.type != "sgd";
  });
}

// A reader of a sum is one of its terms.
void Rewrites::SettleReads() {
  for (auto sum = sums_.rbegin(); sum != sums_.rend(); ++sum) {
    const Readers readers = gradients_[sum->result];
    for (const std::string& name : sum->terms) {
      gradients_[name].takes_rows |= readers.takes_rows;
      gradients_[name].takes_dense |= readers.takes_dense;
    }
  }
  sums_.clear();
}

bool Rewrites::AdvancesPowers(const ForeignOperator& op) const {
  return AdvancesInPlace(op) &&
         Contains(gradients_, OnlyVariable(op.inputs, "Grad"));
}

void Rewrites::MakeDense(ForeignOperator* gradient) const {
  VisitVariables(gradient->outputs, [&](const std::string& name) {
    const auto found = gradients_.find(name);
    if (found == gradients_.end() || found->second.takes_rows ||
        !found->second.takes_dense) {
      return;
    }
    gradient->attr("is_sparse")->Set(false);
  });
}

void Rewrites::Apply(Part part, ForeignOperator* op) const {
  if (old_ends_) RewriteEnds(op);
  DropSums(op);
  if (IsSparseGradient(*op)) {
    TakePaddingAlong(op);
    if (!gradients_.empty()) MakeDense(op);
    if (IsSparseGradient(*op)) op->type = "lookup_table_v2_grad";
  }
  switch (part) {
    case Part::kWhole:
      return;
    case Part::kFirstPower:
    case Part::kSecondPower:
      *op = AdvancePower(*op, kPowers[part == Part::kFirstPower ? 0 : 1]);
      return;
    case Part::kBehindPowers:
      LeavePowers(op);
      return;
  }
}

}  // namespace switchyard::static_graph
