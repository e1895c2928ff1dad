// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrite_operators.h"

#include <limits>
#include <string>
#include <string_view>

#include "google/protobuf/repeated_field.h"
#include "static_graph/translate/load_budget.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// The first version in which an end of -1 is the last position whatever the
// stride.
constexpr int64_t kEndsFromBehind = 3'000'000;

OpDesc::Attr* FindAttr(OpDesc* op, std::string_view name) {
  for (OpDesc::Attr& attr : *op->mutable_attrs()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

const OpDesc::Attr* FindAttr(const OpDesc& op, std::string_view name) {
  for (const OpDesc::Attr& attr : op.attrs()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

bool IsNegative(const OpDesc::Attr& strides, int i) {
  return (i < strides.ints_size() && strides.ints(i) < 0) ||
         (i < strides.longs_size() && strides.longs(i) < 0);
}

void RewriteEnds(OpDesc* op) {
  const bool slice =
      op->type() == "strided_slice" || op->type() == "strided_slice_grad";
  const bool set = op->type() == "set_value" || op->type() == "set_value_grad";
  if (!slice && !set) return;
  const OpDesc::Attr* const strides = FindAttr(op, slice ? "strides" : "steps");
  OpDesc::Attr* const ends = FindAttr(op, "ends");
  if (strides == nullptr || ends == nullptr) return;
  for (int i = 0; i < ends->ints_size(); ++i) {
    if (ends->ints(i) == -1 && IsNegative(*strides, i)) {
      ends->set_ints(i, std::numeric_limits<int32_t>::min());
    }
  }
  for (int i = 0; i < ends->longs_size(); ++i) {
    if (ends->longs(i) == -1 && IsNegative(*strides, i)) {
      ends->set_longs(i, std::numeric_limits<int32_t>::min());
    }
  }
}

bool IsOn(const OpDesc& op, std::string_view name) {
  const OpDesc::Attr* const attr = FindAttr(op, name);
  return attr != nullptr && attr->b();
}

bool IsSparseGradient(const OpDesc& op) {
  return (op.type() == "lookup_table_grad" ||
          op.type() == "lookup_table_v2_grad") &&
         IsOn(op, "is_sparse");
}

// The one variable in a slot; empty if there is none, or there are several.
std::string VariableIn(
    const google::protobuf::RepeatedPtrField<OpDesc::Var>& slots,
    std::string_view name) {
  for (const OpDesc::Var& slot : slots) {
    if (slot.parameter() != name) continue;
    return slot.arguments_size() == 1 ? slot.arguments(0) : "";
  }
  return "";
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

// Whether adam advances its powers in place by numbers that are attributes.
bool AdvancesInPlace(const OpDesc& op) {
  if (op.type() != "adam" || IsOn(op, "use_global_beta_pow") ||
      !VariableIn(op.inputs(), "SkipUpdate").empty()) {
    return false;
  }
  for (const Power& power : kPowers) {
    const std::string name = VariableIn(op.inputs(), power.in);
    const OpDesc::Attr* const factor = FindAttr(op, power.factor);
    if (name.empty() || name != VariableIn(op.outputs(), power.out) ||
        !VariableIn(op.inputs(), power.supplied).empty() ||
        (factor != nullptr && !factor->has_f())) {
      return false;
    }
  }
  return true;
}

OpDesc ScaleInPlace(const std::string& name, float factor) {
  OpDesc scale;
  scale.set_type("scale");
  OpDesc::Var* const in = scale.add_inputs();
  in->set_parameter("X");
  in->add_arguments(name);
  OpDesc::Var* const out = scale.add_outputs();
  out->set_parameter("Out");
  out->add_arguments(name);
  OpDesc::Attr* const attr = scale.add_attrs();
  attr->set_name("scale");
  attr->set_type(static_cast<int>(AttributeKind::kFloat));
  attr->set_f(factor);
  return scale;
}

// Returns the operator that advances a power of an adam's.
OpDesc AdvancePower(const OpDesc& adam, const Power& power) {
  const OpDesc::Attr* const factor = FindAttr(adam, power.factor);
  return ScaleInPlace(VariableIn(adam.inputs(), power.in),
                      factor == nullptr ? power.otherwise : factor->f());
}

// Lets an adam read powers that have advanced.
void LeavePowers(OpDesc* adam) {
  OpDesc::Attr* global = FindAttr(adam, "use_global_beta_pow");
  if (global == nullptr) {
    global = adam->add_attrs();
    global->set_name("use_global_beta_pow");
    global->set_type(static_cast<int>(AttributeKind::kBool));
  }
  global->set_b(true);
}

// Calls visit(name) for each variable that `slots` name.
template <typename Visit>
void VisitVariables(
    const google::protobuf::RepeatedPtrField<OpDesc::Var>& slots,
    const Visit& visit) {
  for (const OpDesc::Var& slot : slots) {
    for (const std::string& name : slot.arguments()) visit(name);
  }
}

void DropSums(OpDesc* op) {
  if (op->type() != "data_norm_grad") return;
  for (int i = op->outputs_size() - 1; i >= 0; --i) {
    const std::string& name = op->outputs(i).parameter();
    if (name == "BatchSize" || name == "BatchSum" || name == "BatchSquareSum") {
      op->mutable_outputs()->DeleteSubrange(i, 1);
    }
  }
}

}  // namespace

void Rewrites::SetVersion(int64_t version) {
  old_ends_ = version < kEndsFromBehind;
}

// Whether an operator adds two variables or more, all of which are noted.
bool Rewrites::SumsRows(const OpDesc& op) const {
  if (op.type() != "sum" || VariableIn(op.outputs(), "Out").empty()) {
    return false;
  }
  int count = 0;
  bool noted = true;
  VisitVariables(op.inputs(), [&](const std::string& name) {
    ++count;
    noted = noted && Contains(gradients_, name);
  });
  return noted && count > 1;
}

void Rewrites::NoteGradients(const OpDesc& op) {
  const int64_t number = noted_++;
  if (IsSparseGradient(op)) {
    VisitVariables(op.outputs(), [&](const std::string& name) {
      if (gradients_.emplace(name, Readers()).second) {
        held_ += LoadBudget::SizeOfEntry(name);
      }
    });
  } else if (SumsRows(op)) {
    Sum& sum = sums_.emplace_back();
    sum.number = number;
    sum.result = VariableIn(op.outputs(), "Out");
    // The list of sums grows by doubling, and so does that of the terms.
    held_ += 2 * sizeof(Sum) + 2 * LoadBudget::SizeOfEntry(sum.result);
    VisitVariables(op.inputs(), [&](const std::string& name) {
      sum.terms.push_back(name);
      held_ += LoadBudget::SizeOfEntry(name);
    });
    gradients_[sum.result] = {};
  }
}

void Rewrites::NoteReads(const OpDesc& op) {
  const int64_t number = read_++;
  if (next_sum_ < sums_.size() && sums_[next_sum_].number == number) {
    ++next_sum_;
    return;
  }
  const bool rows = op.type() == "adam" || op.type() == "adamw";
  VisitVariables(op.inputs(), [&](const std::string& name) {
    const auto found = gradients_.find(name);
    if (found == gradients_.end()) return;
    found->second.takes_rows |= rows;
    found->second.takes_dense |= !rows && op.type() != "sgd";
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

bool Rewrites::AdvancesPowers(const OpDesc& op) const {
  return AdvancesInPlace(op) &&
         Contains(gradients_, VariableIn(op.inputs(), "Grad"));
}

void Rewrites::MakeDense(OpDesc* gradient) const {
  VisitVariables(gradient->outputs(), [&](const std::string& name) {
    const auto found = gradients_.find(name);
    if (found == gradients_.end() || found->second.takes_rows ||
        !found->second.takes_dense) {
      return;
    }
    FindAttr(gradient, "is_sparse")->set_b(false);
  });
}

void Rewrites::Apply(Part part, OpDesc* op) const {
  if (old_ends_) RewriteEnds(op);
  DropSums(op);
  if (!gradients_.empty() && IsSparseGradient(*op)) MakeDense(op);
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
