// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_translation.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

// More elements than a list of extents, axes or sizes has.
constexpr int64_t kMostListed = 4096;
// The operator that gives texts of a list.
constexpr char kTake[] = "strings_take";

bool IsListed(const TensorSpec& spec) {
  const absl::StatusOr<int64_t> count = spec.shape.NumElements();
  return count.ok() && *count <= kMostListed && !IsFloating(spec.dtype) &&
         spec.shape.rank() <= 1;
}

std::string Quoted(const std::string& name) {
  return absl::StrCat("variable '", name, "'");
}

}  // namespace

ir::Value OnnxScope::Get(const std::string& name) const {
  for (const OnnxScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->values_.find(name);
    if (found != scope->values_.end()) return found->second;
  }
  return ir::Value();
}

absl::Status OnnxScope::Set(const std::string& name, ir::Value value) {
  if (values_.emplace(name, value).second) return absl::OkStatus();
  return ArgumentError(Quoted(name), "written once", "twice");
}

bool OnnxScope::AttributeOfCall(const std::string& name,
                                ForeignAttr* attr) const {
  const OnnxScope& function = outermost();
  if (function.call_ == nullptr) return false;
  const ForeignAttr* const given = function.call_->attr(name);
  if (given == nullptr) return function.body_->ReadDefault(name, attr);
  *attr = *given;
  return true;
}

absl::StatusOr<ir::Value> BuildConstant(ir::Builder& builder,
                                        const DenseTensor& tensor) {
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      builder.context()->GetConstant(
          builder.context()->GetTensorType(tensor.dtype(), tensor.shape()),
          {tensor.data<char>(), tensor.byte_size()}));
  return builder.Constant(constant);
}

absl::StatusOr<ir::Value> BuildTexts(ir::Builder& builder,
                                     const OnnxTexts& texts) {
  const DialectOp* const take = FindOperator(*builder.context(), kTake);
  if (take == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the context must have the operator ", kTake));
  }
  std::vector<int64_t> places(texts.texts.size());
  std::iota(places.begin(), places.end(), 0);
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      builder.context()->GetConstant(
          builder.context()->GetTensorType(DataType::kInt64, texts.shape),
          {reinterpret_cast<const char*>(places.data()),
           places.size() * sizeof(int64_t)}));
  const AttrRef attrs[] = {AttrRef(absl::MakeConstSpan(texts.texts))};
  return BuildOp(builder, *take, {builder.Constant(constant)}, attrs);
}

absl::StatusOr<ir::Value> BuildHeld(ir::Builder& builder,
                                    const OnnxProgram& model,
                                    const VariableFacts& facts) {
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, model.SpecOf(facts));
  if (spec.kind == TensorKind::kStrings) {
    SY_ASSIGN_OR_RETURN(const OnnxTexts texts, model.TextsOf(facts));
    return BuildTexts(builder, texts);
  }
  SY_ASSIGN_OR_RETURN(const DenseTensor tensor, model.TensorOf(facts));
  return BuildConstant(builder, tensor);
}

absl::StatusOr<ir::Value> OnnxTranslation::ReadTensor(ir::Builder& builder,
                                                      const std::string& name,
                                                      int number) {
  const VariableFacts& facts = model.blocks(0).facts(number);
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, model.SpecOf(facts));
  budget.TakePort(name.size());
  SY_RETURN_IF_ERROR(budget.Check());
  const bool texts = spec.kind == TensorKind::kStrings;
  if (!texts && !IsListed(spec)) {
    states.push_back({name, spec});
    return into->AddState(name, into->context()->GetTensorType(spec));
  }
  // Before everything, since an inner graph may read it first.
  ir::Builder first(into->context());
  const bool empty = into->entry().front() == nullptr;
  if (!empty) first.SetInsertionPoint(into->entry().front());
  return BuildHeld(empty ? builder : first, model, facts);
}

absl::StatusOr<ir::Value> OnnxTranslation::Read(ir::Builder& builder,
                                                const OnnxScope& scope,
                                                const std::string& name) {
  if (const ir::Value written = scope.Get(name)) return written;
  const OnnxBlock& graph = model.blocks(0);
  const int number = scope.in_model() ? graph.IndexOf(name) : -1;
  if (number < 0 || !graph.facts(number).persistable) {
    return ArgumentError(Quoted(name), "written before it is read", "no value");
  }
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  SY_ASSIGN_OR_RETURN(const ir::Value value, ReadTensor(builder, name, number));
  tensors.emplace(name, value);
  return value;
}

}  // namespace switchyard::static_graph
