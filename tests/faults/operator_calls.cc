// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/operator_calls.h"

#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/ops/every_operator.h"
#include "framework/testing/tensors.h"
#include "framework/types/spec_text.h"
#include "gtest/gtest.h"
#include "phi/core/grad_info.h"
#include "phi/selection/call_parser.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using eager::EagerOp;
using eager::Tensor;
using phi::GradInfo;
using phi::GradSource;
using phi::OpInfo;

constexpr size_t kCallsPerOperator = 3;
constexpr int64_t kMaxElements = 512;

bool Present(const DenseTensor& tensor) {
  return tensor.dtype() != DataType::kUndefined;
}

std::string DtypeAndShape(const DenseTensor& tensor) {
  return SpecText(tensor.dtype(), tensor.shape());
}

DenseTensor Filled(DataType dtype, const Shape& shape, double value) {
  return MakeTensorOf(
      dtype, shape,
      std::vector<double>(static_cast<size_t>(shape.numel()), value));
}

// ---- Valid calls ----

std::map<std::string, const EagerOp*> OperatorsByName() {
  std::map<std::string, const EagerOp*> operators;
  for (const EagerOp* op : eager::AllEagerOps()) {
    operators[op->info->name] = op;
  }
  return operators;
}

// Small, and with the dtypes that the operator works in: the gradient of a call
// whose inputs are promoted is one of the promoted tensors.
bool IsPlain(const OperatorCall& call) {
  const phi::PromotionRule& promotion = call.op->info->promotion;
  const phi::ArgSegments slots = call.segments();
  DataType common = DataType::kUndefined;
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const DenseTensor& input = call.inputs[slot];
    if (!Present(input)) continue;
    if (input.numel() > kMaxElements || !input.contiguous()) return false;
    const int argument = slots.argument_of(static_cast<int>(slot));
    if ((promotion.inputs >> argument & 1) == 0) continue;
    if (common == DataType::kUndefined) common = input.dtype();
    if (input.dtype() != common) return false;
  }
  return !promotion.integer_to_float || IsDifferentiable(common);
}

// The gradient's inputs of one source, appended; false if there are none.
bool AddInputs(const OperatorCall& call, const std::vector<Tensor>& outputs,
               const phi::ArgSegments& output_slots, const GradSource& source,
               OperatorCall* backward) {
  const bool input = source.kind == GradSource::Kind::kInput;
  const phi::ArgSegments slots = input ? call.segments() : output_slots;
  for (int slot = slots.begin(source.index); slot < slots.end(source.index);
       ++slot) {
    if (input) {
      backward->inputs.push_back(call.inputs[slot]);
      continue;
    }
    const Tensor& output = outputs[slot];
    DenseTensor tensor = output.defined() ? output.dense() : DenseTensor();
    if (source.kind == GradSource::Kind::kOutputGrad && Present(tensor)) {
      if (!IsDifferentiable(tensor.dtype())) return false;
      tensor = Filled(tensor.dtype(), tensor.shape(), 0.5);
    }
    backward->inputs.push_back(std::move(tensor));
  }
  return true;
}

// Whether a gradient can flow to the inputs: integers take none.
bool IsDifferentiable(const OperatorCall& call) {
  const phi::ArgSegments slots = call.segments();
  for (const int16_t input : call.op->grad->outputs) {
    for (int slot = slots.begin(input); slot < slots.end(input); ++slot) {
      const DenseTensor& tensor = call.inputs[slot];
      if (Present(tensor) && !IsDifferentiable(tensor.dtype())) return false;
    }
  }
  return true;
}

// The call of the gradient of `call`; without operator if there is none.
OperatorCall BackwardOf(const OperatorCall& call,
                        const std::vector<Tensor>& outputs) {
  OperatorCall backward;
  if (call.op->grad == nullptr || !IsDifferentiable(call)) return backward;
  const GradInfo& grad = *call.op->grad;
  phi::ArgLayout layout;
  const std::vector<AttrRef> attrs = call.attr_refs();
  if (!phi::LayOutOutputs(*call.op->info, call.segments(), attrs, &layout)
           .ok()) {
    return backward;
  }
  for (const GradSource& source : grad.inputs) {
    if (!AddInputs(call, outputs, layout.segments(), source, &backward)) {
      return OperatorCall();
    }
    backward.layout.Add(backward.inputs.size() - backward.layout.size());
  }
  for (size_t i = 0; i < grad.attrs.size(); ++i) {
    backward.attrs.push_back(
        grad.attrs[i] >= 0 ? call.attrs[grad.attrs[i]]
                           : Attribute(grad.backward->attrs[i].default_value));
  }
  backward.op = call.op->backward;
  return backward;
}

class Collector {
 public:
  explicit Collector(Operators operators) : operators_(operators) {}

  // Adds the call and those of its gradients.
  void Add(const OperatorCall& call, bool gradient) {
    if (!IsPlain(call)) return;
    const absl::StatusOr<std::vector<Tensor>> outputs =
        RunEager(call, /*recorded=*/false);
    // Some gradients exist for some attributes or shapes alone.
    if (gradient && absl::IsUnimplemented(outputs.status())) return;
    ASSERT_TRUE(outputs.ok()) << call.op->info->name << outputs.status();
    const bool asked = operators_ == Operators::kEvery || gradient ||
                       call.op->composite != nullptr;
    // Calls of the same shapes say the same.
    std::string key;
    for (const DenseTensor& input : call.inputs) key += DtypeAndShape(input);
    if (asked && seen_[call.op].size() < kCallsPerOperator &&
        seen_[call.op].insert(key).second) {
      calls_.push_back(call);
    }
    const OperatorCall backward = BackwardOf(call, *outputs);
    if (backward.op != nullptr) Add(backward, /*gradient=*/true);
  }

  std::vector<OperatorCall> Take() { return std::move(calls_); }

 private:
  const Operators operators_;
  std::vector<OperatorCall> calls_;
  std::map<const EagerOp*, std::set<std::string>> seen_;
};

// ---- Changed calls ----

class Changer {
 public:
  explicit Changer(const OperatorCall& call) : call_(call) {}

  void ChangeInputs() {
    for (size_t slot = 0; slot < call_.inputs.size(); ++slot) {
      const DenseTensor input = call_.inputs[slot];
      if (!Present(input)) continue;
      SetInput(slot, DenseTensor());
      for (const Shape& shape : OtherShapes(input.shape())) {
        SetInput(slot, Filled(input.dtype(), shape, 0));
      }
      for (const DataType dtype :
           {DataType::kBool, DataType::kInt16, DataType::kInt32,
            DataType::kInt64, DataType::kFloat16, DataType::kFloat32,
            DataType::kFloat64, DataType::kComplex64, DataType::kComplex128}) {
        if (dtype == input.dtype()) continue;
        SetInput(slot, Filled(dtype, input.shape(), 0));
      }
    }
  }

  void ChangeAttributes() {
    for (size_t i = 0; i < call_.attrs.size(); ++i) {
      const AttrRef value = call_.attrs[i].ref();
      switch (value.type()) {
        case AttrType::kBool:
          SetAttr(i, !value.Get<bool>());
          break;
        case AttrType::kInt:
          for (const int64_t number : Numbers<int>()) {
            SetAttr(i, static_cast<int>(number));
          }
          break;
        case AttrType::kInt64:
          for (const int64_t number : Numbers<int64_t>()) SetAttr(i, number);
          break;
        case AttrType::kFloat:
          for (const double number : kReals) {
            SetAttr(i, static_cast<float>(number));
          }
          break;
        case AttrType::kDouble:
          for (const double number : kReals) SetAttr(i, number);
          break;
        case AttrType::kScalar:
          for (const double number : kReals) SetAttr(i, Scalar(number));
          SetAttr(i, Scalar(std::complex<double>(1, -2)));
          break;
        case AttrType::kString:
          SetAttr(i, std::string_view());
          SetAttr(i, std::string_view("bogus"));
          break;
        case AttrType::kInts:
          ChangeList<int>(i);
          break;
        case AttrType::kInt64s:
          ChangeList<int64_t>(i);
          break;
        default:
          break;
      }
    }
  }

  std::vector<OperatorCall> Take() { return std::move(changed_); }

 private:
  static constexpr double kReals[] = {
      -std::numeric_limits<double>::infinity(), -1, 0, 1e300,
      std::numeric_limits<double>::quiet_NaN(),
  };

  std::vector<Shape> OtherShapes(const Shape& shape) const {
    std::vector<Shape> others;
    if (shape.rank() > 0) others.emplace_back();
    if (shape.rank() < kMaxRank) {
      others.push_back(shape);
      others.back().push_back(Dim(2));
    }
    for (const int64_t extent : {0, 1, 5}) {
      if (shape.rank() == 0) break;
      others.push_back(shape);
      others.back()[shape.rank() - 1] = Dim(extent);
    }
    if (shape.rank() > 1) others.push_back(Shape({Dim(3)}));
    Shape most;
    while (most.rank() < kMaxRank) most.push_back(Dim(1));
    others.push_back(most);
    return others;
  }

  template <typename T>
  std::vector<int64_t> Numbers() const {
    int64_t rank = 0;
    for (const DenseTensor& input : call_.inputs) {
      rank = std::max<int64_t>(rank, input.shape().rank());
    }
    return {std::numeric_limits<T>::min(),
            std::numeric_limits<T>::min() + 1,
            std::numeric_limits<T>::min() + rank,
            -rank - 1,
            -rank,
            -1,
            0,
            rank,
            rank + 1,
            1000,
            std::numeric_limits<T>::max() - 1,
            std::numeric_limits<T>::max()};
  }

  template <typename T>
  void ChangeList(size_t i) {
    const auto value = call_.attrs[i].ref().Get<absl::Span<const T>>();
    const std::vector<T> list(value.begin(), value.end());
    SetAttr(i, absl::Span<const T>());
    for (const int64_t number : Numbers<T>()) {
      const std::vector<T> one = {static_cast<T>(number)};
      SetAttr(i, absl::MakeConstSpan(one));
      const std::vector<T> two = {static_cast<T>(number),
                                  static_cast<T>(number)};
      SetAttr(i, absl::MakeConstSpan(two));
      for (size_t k = 0; k < list.size(); ++k) {
        std::vector<T> other = list;
        other[k] = static_cast<T>(number);
        SetAttr(i, absl::MakeConstSpan(other));
      }
    }
    if (list.empty()) return;
    std::vector<T> other = list;
    other.pop_back();
    SetAttr(i, absl::MakeConstSpan(other));
    other = list;
    other.insert(other.end(), list.begin(), list.end());
    SetAttr(i, absl::MakeConstSpan(other));
    other.assign(100, list[0]);
    SetAttr(i, absl::MakeConstSpan(other));
  }

  void SetInput(size_t slot, DenseTensor tensor) {
    const int argument = call_.segments().argument_of(static_cast<int>(slot));
    OperatorCall changed = call_;
    changed.change =
        absl::StrCat(call_.op->info->inputs[argument].name, ": ",
                     Present(tensor) ? DtypeAndShape(tensor) : "absent");
    changed.inputs[slot] = std::move(tensor);
    changed_.push_back(std::move(changed));
  }

  void SetAttr(size_t i, AttrRef value) {
    OperatorCall changed = call_;
    changed.attrs[i] = Attribute(value);
    changed.change =
        absl::StrCat(call_.op->info->attrs[i].name, ": ", ToString(value));
    changed_.push_back(std::move(changed));
  }

  const OperatorCall& call_;
  std::vector<OperatorCall> changed_;
};

}  // namespace

std::vector<AttrRef> OperatorCall::attr_refs() const {
  std::vector<AttrRef> refs;
  for (const Attribute& attr : attrs) refs.push_back(attr.ref());
  return refs;
}

absl::StatusOr<std::vector<Tensor>> RunEager(const OperatorCall& call,
                                             bool recorded) {
  std::vector<Tensor> inputs;
  for (const DenseTensor& input : call.inputs) {
    inputs.push_back(Present(input) ? Tensor(input) : Tensor());
    if (recorded && Present(input) && IsDifferentiable(input.dtype())) {
      SY_RETURN_IF_ERROR(inputs.back().set_requires_grad(true));
    }
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  const std::vector<AttrRef> attrs = call.attr_refs();
  std::vector<Tensor> outputs;
  SY_RETURN_IF_ERROR(
      eager::Run(*call.op, {pointers, call.segments()}, attrs, &outputs));
  return outputs;
}

std::vector<OperatorCall> ValidCalls(const std::string& folder,
                                     Operators asked) {
  const std::map<std::string, const EagerOp*> operators = OperatorsByName();
  absl::StatusOr<std::vector<SampleCall>> samples = ReadSampleCalls(folder);
  EXPECT_TRUE(samples.ok()) << samples.status();
  Collector collector(asked);
  for (const SampleCall& sample : *samples) {
    const auto op = operators.find(sample.op->name);
    if (!sample.valid || !sample.run_by.empty() || op == operators.end() ||
        (sample.op->has(phi::Trait::kInplaceOnly) &&
         asked != Operators::kEvery)) {
      continue;
    }
    auto parsed = phi::selection::ParseCall(*sample.op, sample.inputs,
                                            sample.attrs, Place::Cpu());
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    OperatorCall call;
    call.op = op->second;
    call.inputs = SampleTensors(sample, *parsed);
    const phi::ArgSegments segments = parsed->tensors().segments();
    for (int i = 0; i < segments.arguments(); ++i) {
      call.layout.Add(static_cast<size_t>(segments.size(i)));
    }
    for (const AttrRef& attr : parsed->attrs()) call.attrs.emplace_back(attr);
    collector.Add(call, /*gradient=*/false);
  }
  return collector.Take();
}

std::vector<OperatorCall> ChangedCalls(const OperatorCall& call) {
  Changer changer(call);
  changer.ChangeInputs();
  changer.ChangeAttributes();
  return changer.Take();
}

}  // namespace switchyard
