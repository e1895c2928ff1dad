// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrite_operators.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/hash_map.h"
#include "google/protobuf/repeated_field.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using translate::ProgramDesc;

// The first version in which an end of -1 is the last position whatever the
// stride.
constexpr int64_t kEndsFromBehind = 3'000'000;

OpDesc::Attr* FindAttr(OpDesc* op, std::string_view name) {
  for (OpDesc::Attr& attr : *op->mutable_attrs()) {
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

bool IsOn(OpDesc* op, std::string_view name) {
  const OpDesc::Attr* const attr = FindAttr(op, name);
  return attr != nullptr && attr->b();
}

bool IsSparseGradient(OpDesc* op) {
  return (op->type() == "lookup_table_grad" ||
          op->type() == "lookup_table_v2_grad") &&
         IsOn(op, "is_sparse");
}

// Says what the operators that read a variable take.
struct Readers {
  bool takes_rows = false;  // One that must have SelectedRows.
  bool takes_dense = false;
};

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
bool AdvancesInPlace(OpDesc* op) {
  if (op->type() != "adam" || IsOn(op, "use_global_beta_pow") ||
      !VariableIn(op->inputs(), "SkipUpdate").empty()) {
    return false;
  }
  for (const Power& power : kPowers) {
    const std::string name = VariableIn(op->inputs(), power.in);
    const OpDesc::Attr* const factor = FindAttr(op, power.factor);
    if (name.empty() || name != VariableIn(op->outputs(), power.out) ||
        !VariableIn(op->inputs(), power.supplied).empty() ||
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

// Lets adam with a gradient of rows read powers that have advanced.
void AdvancePowersBefore(translate::BlockDesc* block,
                         const HashMap<std::string, Readers>& gradients) {
  google::protobuf::RepeatedPtrField<OpDesc> ops;
  ops.Swap(block->mutable_ops());
  for (OpDesc& op : ops) {
    if (AdvancesInPlace(&op) &&
        gradients.find(VariableIn(op.inputs(), "Grad")) != gradients.end()) {
      for (const Power& power : kPowers) {
        const OpDesc::Attr* const factor = FindAttr(&op, power.factor);
        *block->add_ops() =
            ScaleInPlace(VariableIn(op.inputs(), power.in),
                         factor == nullptr ? power.otherwise : factor->f());
      }
      OpDesc::Attr* global = FindAttr(&op, "use_global_beta_pow");
      if (global == nullptr) {
        global = op.add_attrs();
        global->set_name("use_global_beta_pow");
        global->set_type(static_cast<int>(AttributeKind::kBool));
      }
      global->set_b(true);
    }
    block->add_ops()->Swap(&op);
  }
}

template <typename Visit>
void VisitOperators(ProgramDesc* program, const Visit& visit) {
  for (auto& block : *program->mutable_blocks()) {
    for (OpDesc& op : *block.mutable_ops()) visit(&op);
  }
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

// The variables of a program that sparse gradients write, and the sums of such
// variables alone, by name.
class SparseGradients {
 public:
  explicit SparseGradients(ProgramDesc* program) {
    VisitOperators(program, [&](OpDesc* op) { Collect(op); });
    if (readers_.empty()) return;
    VisitOperators(program, [&](OpDesc* op) { Read(*op); });
    // A reader of a sum is one of its terms.
    for (auto sum = sums_.rbegin(); sum != sums_.rend(); ++sum) {
      const Readers readers = readers_[VariableIn((*sum)->outputs(), "Out")];
      VisitVariables((*sum)->inputs(), [&](const std::string& name) {
        readers_[name].takes_rows |= readers.takes_rows;
        readers_[name].takes_dense |= readers.takes_dense;
      });
    }
  }

  const HashMap<std::string, Readers>& readers() const { return readers_; }

 private:
  void Collect(OpDesc* op) {
    if (IsSparseGradient(op)) {
      VisitVariables(op->outputs(),
                     [&](const std::string& name) { readers_[name] = {}; });
    } else if (SumsRows(*op)) {
      readers_[VariableIn(op->outputs(), "Out")] = {};
      sums_.push_back(op);
      is_sum_.insert(op);
    }
  }

  // Whether an operator adds two variables or more, all of which are ours.
  bool SumsRows(const OpDesc& op) const {
    if (op.type() != "sum" || VariableIn(op.outputs(), "Out").empty()) {
      return false;
    }
    int count = 0;
    bool ours = true;
    VisitVariables(op.inputs(), [&](const std::string& name) {
      ++count;
      ours = ours && readers_.find(name) != readers_.end();
    });
    return ours && count > 1;
  }

  void Read(const OpDesc& op) {
    if (is_sum_.find(&op) != is_sum_.end()) return;
    const bool rows = op.type() == "adam" || op.type() == "adamw";
    VisitVariables(op.inputs(), [&](const std::string& name) {
      const auto found = readers_.find(name);
      if (found == readers_.end()) return;
      found->second.takes_rows |= rows;
      found->second.takes_dense |= !rows && op.type() != "sgd";
    });
  }

  HashMap<std::string, Readers> readers_;
  std::vector<const OpDesc*> sums_;  // In the order of the program.
  HashSet<const OpDesc*> is_sum_;    // The same.
};

void MakeGradientsDense(ProgramDesc* program) {
  const SparseGradients gradients(program);
  if (gradients.readers().empty()) return;
  VisitOperators(program, [&](OpDesc* op) {
    if (!IsSparseGradient(op)) return;
    VisitVariables(op->outputs(), [&](const std::string& name) {
      const Readers& readers = gradients.readers().find(name)->second;
      if (readers.takes_rows || !readers.takes_dense) return;
      FindAttr(op, "is_sparse")->set_b(false);
    });
  });
  for (auto& block : *program->mutable_blocks()) {
    AdvancePowersBefore(&block, gradients.readers());
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

void RewriteOperators(ProgramDesc* program) {
  const bool old = program->version().version() < kEndsFromBehind;
  for (auto& block : *program->mutable_blocks()) {
    for (OpDesc& op : *block.mutable_ops()) {
      if (old) RewriteEnds(&op);
      DropSums(&op);
    }
  }
  MakeGradientsDense(program);
}

}  // namespace switchyard::static_graph
