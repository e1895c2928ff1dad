// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/bfloat16_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/types/float16.h"
#include "phi/promotion/autocast.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dot_attention.gen.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/op_definition.h"

namespace switchyard::static_graph {
namespace {

using phi::promotion::AmpRule;

bool IsDenseOf(ir::Type type, DataType dtype) {
  const auto tensor = type.As<ir::TensorType>();
  return tensor && tensor.kind() == TensorKind::kDense &&
         tensor.dtype() == dtype;
}

bool IsFloat(ir::Value value) {
  return IsDenseOf(value.type(), DataType::kFloat32);
}

// Whether a number does not become infinite: those with which masks are filled
// may.
bool StaysFinite(float number) {
  return !std::isfinite(number) ||
         std::isfinite(static_cast<float>(bfloat16(number)));
}

// Whether no element of a constant of float32 becomes infinite.
bool StaysFinite(ir::Attribute constant) {
  const std::string_view bytes = constant.bytes();
  for (size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    float number;
    std::memcpy(&number, bytes.data() + i, sizeof(number));
    if (!StaysFinite(number)) return false;
  }
  return true;
}

// Whether no number becomes infinite that a call has as an attribute.
bool AttributesStayFinite(const OpCall& call) {
  return std::all_of(
      call.attrs.begin(), call.attrs.end(), [](const AttrRef& attr) {
        if (attr.type() == AttrType::kFloat) {
          return StaysFinite(attr.Get<float>());
        }
        if (attr.type() != AttrType::kScalar || attr.supplied()) return true;
        return StaysFinite(
            static_cast<float>(attr.Get<const Scalar&>().ToDouble()));
      });
}

// Whether a value has elements along one axis alone, as biases and scales have.
bool IsList(ir::Value value) {
  const Shape& shape = value.tensor_type().shape();
  int axes = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    axes += shape[axis] == Dim(1) ? 0 : 1;
  }
  return axes <= 1;
}

// Rewrites one program, in its order.
class Narrower {
 public:
  Narrower(ir::Program& program, const KernelRule& has_kernel)
      : program_(program), has_kernel_(has_kernel), fixed_(program) {}

  absl::StatusOr<bool> Run() {
    bool changed = false;
    for (ir::Operation* op : ir::AllOperations(program_.entry())) {
      fixed_.Add(*op);
      const DialectOp* const record = FindDialectOp(*op);
      if (record == nullptr || op->num_regions() != 0) continue;
      SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(*op));
      const std::vector<int> operands = FloatOperands(*op, call);
      const AmpRule rule = phi::promotion::AmpRuleOf(*record->info);
      if (operands.empty() || rule == AmpRule::kWide ||
          (rule != AmpRule::kNarrow && !Follows(*op, call, operands))) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(const bool narrowed, Narrow(op, *record, operands));
      changed |= narrowed;
    }
    return changed;
  }

 private:
  // The operands of float32 that are inputs of the call. Those that supply an
  // attribute come after the inputs. The mask of attention keeps its numbers,
  // of which some are as large as float32 goes.
  std::vector<int> FloatOperands(const ir::Operation& op,
                                 const OpCall& call) const {
    int inputs = 0;
    for (ir::Value input : call.inputs.view().elements()) {
      inputs += input ? 1 : 0;
    }
    const auto attention = DotAttentionOp::Match(op);
    std::vector<int> operands;
    for (int i = 0; i < inputs; ++i) {
      const ir::Value operand = op.operand(i);
      const bool is_mask = attention.has_value() && attention->mask() &&
                           i == inputs - 1 && !IsNarrowed(operand);
      if (IsFloat(operand) && !is_mask) operands.push_back(i);
    }
    return operands;
  }

  // Whether an operator runs in what its operands have: all that it reads is
  // the result of an operator in bfloat16, or loses little as bfloat16.
  bool Follows(const ir::Operation& op, const OpCall& call,
               const std::vector<int>& operands) const {
    // The parts of a composite may have rules of their own.
    if (call.op->composite_only || !AttributesStayFinite(call)) return false;
    bool any = false;
    for (const int i : operands) {
      const bool narrowed = IsNarrowed(op.operand(i));
      if (!narrowed && !LosesLittle(op.operand(i))) return false;
      any |= narrowed;
    }
    return any;
  }

  bool IsNarrowed(ir::Value value) const { return Contains(narrowed_, value); }

  // Whether a value that no run changes is a constant that stays finite, or a
  // parameter of one number a channel.
  bool LosesLittle(ir::Value value) const {
    const ir::Operation* const maker = value.defining_op();
    if (maker != nullptr && maker->has<ir::ConstantTrait>()) {
      return StaysFinite(maker->attribute(ir::kValue));
    }
    return fixed_.IsFixed(value) && IsList(value);
  }

  // Makes `op` one of bfloat16, with casts of its results for its readers.
  // False, with everything as it was, where it can't be.
  absl::StatusOr<bool> Narrow(ir::Operation* op, const DialectOp& record,
                              const std::vector<int>& operands) {
    const std::vector<ir::Value> before = op->operands();
    std::vector<ir::Value> made;  // The operands of which there was no cast.
    for (const int i : operands) {
      const ir::Value operand = before[static_cast<size_t>(i)];
      if (!IsNarrowed(operand) && !Contains(casts_, operand)) {
        SY_ASSIGN_OR_RETURN(casts_[operand], CastWhereMade(operand));
        made.push_back(operand);
      }
      op->SetOperand(
          i, IsNarrowed(operand) ? narrowed_[operand] : casts_[operand]);
    }
    if (!SetResults(op, record)) {
      for (const int i : operands) {
        op->SetOperand(i, before[static_cast<size_t>(i)]);
      }
      for (ir::Value operand : made) {
        casts_[operand].defining_op()->Erase();
        casts_.erase(operand);
      }
      return false;
    }
    ir::Builder builder(program_.context());
    builder.SetInsertionPointAfter(op);
    for (ir::Value result : op->results()) {
      if (!IsDenseOf(result.type(), DataType::kBFloat16) ||
          !result.has_uses()) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(const ir::Value wide,
                          BuildCast(builder, result, DataType::kFloat32));
      for (ir::OpOperand* use : UsesOf(result)) {
        if (use->owner() != wide.defining_op()) use->Set(wide);
      }
      narrowed_[wide] = result;
    }
    return true;
  }

  static std::vector<ir::OpOperand*> UsesOf(ir::Value value) {
    std::vector<ir::OpOperand*> uses;
    for (ir::OpOperand& use : value.uses()) uses.push_back(&use);
    return uses;
  }

  // Gives the results the dtypes that follow from the operands. False, with the
  // types as they were, if none becomes bfloat16 or there is no kernel.
  bool SetResults(ir::Operation* op, const DialectOp& record) const {
    const auto* const interface = op->interface<ir::InferTypesInterface>();
    if (interface == nullptr) return false;
    ir::OperationState state;
    state.definition = &op->definition();
    state.operands = op->operands();
    state.attributes.assign(op->attributes().begin(), op->attributes().end());
    const auto types = interface->infer(program_.context(), state);
    std::vector<ir::Value> results = op->results();
    if (!types.ok() || types->size() != results.size()) return false;
    std::vector<ir::Type> before;
    bool any = false;
    for (size_t i = 0; i < results.size(); ++i) {
      before.push_back(results[i].type());
      if (!IsFloat(results[i]) ||
          !IsDenseOf((*types)[i], DataType::kBFloat16)) {
        continue;
      }
      TensorSpec spec = results[i].tensor_type().spec();
      spec.dtype = DataType::kBFloat16;
      results[i].SetType(program_.context()->GetTensorType(spec));
      any = true;
    }
    // A product may be written out as others; what follows it may not, since
    // each of its steps would round.
    const bool composes =
        record.composite != nullptr &&
        phi::promotion::AmpRuleOf(*record.info) == AmpRule::kNarrow;
    const bool served =
        any && (composes || has_kernel_ == nullptr || has_kernel_(*op));
    if (!served) {
      for (size_t i = 0; i < results.size(); ++i) {
        results[i].SetType(before[i]);
      }
    }
    return served;
  }

  // Casts a float32 value to bfloat16 right where it is made, so that a loop's
  // weights are cast before it.
  absl::StatusOr<ir::Value> CastWhereMade(ir::Value value) const {
    ir::Builder builder(program_.context());
    if (ir::Operation* const maker = value.defining_op()) {
      builder.SetInsertionPointAfter(maker);
    } else {
      builder.SetInsertionPoint(value.argument_block()->front());
    }
    return BuildCast(builder, value, DataType::kBFloat16);
  }

  ir::Program& program_;
  const KernelRule& has_kernel_;
  FixedValues fixed_;
  // Values of float32, and what was computed in bfloat16 that they are cast
  // from.
  HashMap<ir::Value, ir::Value> narrowed_;
  // Values of float32, and casts of them.
  HashMap<ir::Value, ir::Value> casts_;
};

}  // namespace

absl::StatusOr<bool> Bfloat16Products::Run(ir::Program& program) {
  return Narrower(program, has_kernel_).Run();
}

}  // namespace switchyard::static_graph
