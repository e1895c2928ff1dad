// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/cases.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/ops/every_operator.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"
#include "framework/device/transfer.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/testing/tensors.h"
#include "framework/types/spec_text.h"
#include "phi/selection/call_parser.h"
#include "tests/explain/tensor_of_kind.h"

namespace switchyard {
namespace {

using phi::GradSource;

bool Present(const TensorBase& tensor) {
  return tensor.dtype() != DataType::kUndefined;
}

// Every second element of a tensor of twice the size.
DenseTensor StridedCopy(const DenseTensor& tensor) {
  Shape stored({2 * tensor.numel()});
  DenseTensor base = EmptyTensor(tensor.dtype(), stored);
  const size_t size = ElementSize(tensor.dtype());
  const char* from = static_cast<const char*>(tensor.raw_data());
  char* to = static_cast<char*>(base.buffer()->data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    std::memcpy(to + 2 * i * size, from + i * size, size);
  }
  Strides strides = ContiguousStrides(tensor.shape());
  for (int64_t& stride : strides) stride *= 2;
  DenseTensor view;
  view.SetView(base, tensor.shape(), strides, /*offset=*/0);
  view.SetLod(tensor.lod());
  return view;
}

DenseTensor ContiguousCopy(const DenseTensor& tensor) {
  DenseTensor copy = EmptyTensor(tensor.dtype(), tensor.shape());
  const size_t size = ElementSize(tensor.dtype());
  const char* from = static_cast<const char*>(tensor.raw_data());
  char* to = static_cast<char*>(copy.buffer()->data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const int64_t offset = ElementOffset(tensor.shape(), tensor.strides(), i);
    std::memcpy(to + i * size, from + offset * static_cast<int64_t>(size),
                size);
  }
  copy.SetLod(tensor.lod());
  return copy;
}

const eager::EagerOp* FindEagerOp(const phi::OpInfo& info) {
  for (const eager::EagerOp* op : eager::AllEagerOps()) {
    if (op->info == &info) return op;
  }
  return nullptr;
}

// `tensor` returns that of a slot.
template <typename TensorOf>
bool HasFloating(TensorOf tensor, const phi::ArgSegments& slots, int argument) {
  for (int i = slots.begin(argument); i < slots.end(argument); ++i) {
    const TensorBase& one = tensor(static_cast<size_t>(i));
    if (Present(one) && IsDifferentiable(one.dtype())) return true;
  }
  return false;
}

// Whether eager would record the call: a gradient flows in and one flows out.
bool IsRecorded(const Case& call, const std::vector<CaseTensor>& outputs,
                const phi::ArgSegments& output_slots) {
  const phi::GradInfo& grad = *call.op->grad;
  const auto input = [&](size_t slot) -> const TensorBase& {
    return call.tensor(slot);
  };
  const auto output = [&](size_t slot) -> const TensorBase& {
    return outputs[slot].base();
  };
  return std::any_of(grad.inputs.begin(), grad.inputs.end(),
                     [&](const GradSource& source) {
                       return source.kind == GradSource::Kind::kOutputGrad &&
                              HasFloating(output, output_slots, source.index);
                     }) &&
         std::any_of(grad.outputs.begin(), grad.outputs.end(),
                     [&](int16_t argument) {
                       return HasFloating(input, call.segments(), argument);
                     });
}

// Makes ascending positions of rows, which no range of a sample's words says:
// one value a row, and all others in the last.
void MendRows(Case* call) {
  const int crows = call->info().input_index("crows");
  if (crows < 0) return;
  DenseTensor& tensor = call->tensors[call->segments().begin(crows)];
  const int64_t last = tensor.numel() - 1;
  const int64_t values = call->tensors[0].extent(0);
  for (int64_t row = 0; row <= last; ++row) {
    tensor.mutable_data<int64_t>()[row] =
        row == last ? values : std::min(row, values);
  }
}

// Makes tensors of the kinds that the call has, where those are not dense.
void MakeTensorsOfKinds(const phi::selection::ParsedCall& parsed, Case* call) {
  call->others.resize(call->tensors.size());
  for (size_t slot = 0; slot < call->tensors.size(); ++slot) {
    const TensorMeta* const meta = parsed.tensors().elements()[slot];
    if (meta == nullptr || meta->kind == TensorKind::kDense) continue;
    call->others[slot] = MakeTensorOfKind(meta->kind, call->tensors[slot]);
    call->tensors[slot] = DenseTensor();
  }
}

}  // namespace

std::vector<AttrRef> Case::attr_refs() const {
  std::vector<AttrRef> refs;
  for (const Attribute& attr : attrs) refs.push_back(attr.ref());
  return refs;
}

std::vector<std::string> Case::InputWords() const {
  std::vector<std::string> words;
  for (size_t slot = 0; slot < tensors.size(); ++slot) {
    const TensorBase& tensor = this->tensor(slot);
    if (!Present(tensor)) continue;
    const int argument = segments().argument_of(static_cast<int>(slot));
    words.push_back(absl::StrCat(info().inputs[argument].name, "=",
                                 SpecText(tensor.meta())));
    if (!tensor.contiguous()) {
      const char* separator = " strides [";
      for (int axis = 0; axis < tensor.rank(); ++axis) {
        absl::StrAppend(&words.back(), separator, tensor.meta().strides[axis]);
        separator = ", ";
      }
      words.back() += "]";
    }
    absl::StrAppend(&words.back(), " on ", ToString(tensor.place()));
  }
  return words;
}

std::vector<std::string> Case::AttrWords() const {
  std::vector<std::string> words;
  for (size_t i = 0; i < attrs.size(); ++i) {
    words.push_back(
        absl::StrCat(info().attrs[i].name, "=", ToString(attrs[i].ref())));
  }
  return words;
}

absl::StatusOr<std::vector<Case>> MakeCases(const SampleCall& sample) {
  SY_ASSIGN_OR_RETURN(const phi::selection::ParsedCall parsed,
                      phi::selection::ParseCall(*sample.op, sample.inputs,
                                                sample.attrs, Place::Cpu()));
  Case call;
  call.op = FindEagerOp(*sample.op);
  call.tensors = SampleTensors(sample, parsed);
  MakeTensorsOfKinds(parsed, &call);
  const phi::ArgSegments segments = parsed.tensors().segments();
  for (int i = 0; i < segments.arguments(); ++i) {
    call.layout.Add(static_cast<size_t>(segments.size(i)));
  }
  for (const AttrRef attr : parsed.attrs()) call.attrs.emplace_back(attr);
  if (sample.valid) MendRows(&call);
  std::vector<Case> backward;
  if (sample.valid) {
    SY_ASSIGN_OR_RETURN(backward, BackwardCases(call));
  }
  std::vector<Case> cases;
  cases.push_back(std::move(call));
  std::move(backward.begin(), backward.end(), std::back_inserter(cases));
  return cases;
}

absl::StatusOr<std::vector<CaseTensor>> RunEagerly(const Case& call) {
  const eager::NoGradGuard no_grad;
  std::vector<eager::Tensor> tensors(call.tensors.size());
  std::vector<const eager::Tensor*> inputs(call.tensors.size());
  for (size_t slot = 0; slot < tensors.size(); ++slot) {
    const TensorBase& given = call.tensor(slot);
    if (!Present(given)) continue;
    tensors[slot] = given.kind() == TensorKind::kDense
                        ? eager::Tensor(call.tensors[slot])
                        : eager::Tensor(RefPtr<eager::TensorImpl>::Adopt(
                              new eager::TensorImpl(CopyTensor(given))));
    inputs[slot] = &tensors[slot];
  }
  std::vector<eager::Tensor> results;
  SY_RETURN_IF_ERROR(eager::Run(*call.op, {inputs, call.segments()},
                                call.attr_refs(), &results));
  std::vector<CaseTensor> outputs;
  for (const eager::Tensor& result : results) {
    outputs.emplace_back();
    if (!result.defined()) continue;
    if (result.kind() == TensorKind::kDense) {
      outputs.back().dense = result.dense();
    } else {
      outputs.back().other = CopyTensor(result.base());
    }
  }
  return outputs;
}

Case Strided(const Case& call) {
  Case strided = call;
  // Wider elements have no view of others with gaps between them.
  if (std::string_view(call.info().name) == "view_dtype") return strided;
  for (size_t slot = 0; slot < strided.tensors.size(); ++slot) {
    DenseTensor& tensor = strided.tensors[slot];
    const int argument = call.segments().argument_of(static_cast<int>(slot));
    if (!Present(tensor) || !tensor.contiguous() || tensor.rank() == 0 ||
        call.info().inputs[argument].skip_transform) {
      continue;
    }
    tensor = StridedCopy(tensor);
  }
  return strided;
}

Case Contiguous(const Case& call) {
  Case contiguous = call;
  for (DenseTensor& tensor : contiguous.tensors) {
    if (Present(tensor) && !tensor.contiguous())
      tensor = ContiguousCopy(tensor);
  }
  return contiguous;
}

absl::StatusOr<DenseTensor> Moved(const DenseTensor& x, Place place) {
  if (!x.allocated()) return x;
  TensorMeta meta = x.meta();
  meta.place = place;
  const size_t bytes = x.buffer()->size();
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      GetAllocator(place).Allocate(bytes));
  SY_RETURN_IF_ERROR(CopyBytes({x.buffer().get(), x.buffer()->data()},
                               {buffer.get(), buffer->data()}, bytes));
  DenseTensor moved(std::move(meta), std::move(buffer));
  moved.SetLod(x.lod());
  return moved;
}

bool IsRandomState(const Case& call, int slot) {
  const int argument = call.segments().argument_of(slot);
  return call.info().has(phi::Trait::kRandom) &&
         std::string_view(call.info().inputs[argument].name) == "rng";
}

absl::StatusOr<std::vector<Case>> BackwardCases(const Case& call) {
  std::vector<Case> cases;
  const phi::GradInfo* const grad = call.op->grad;
  if (grad == nullptr) return cases;
  SY_ASSIGN_OR_RETURN(const std::vector<CaseTensor> outputs, RunEagerly(call));
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(call.info(), call.segments(),
                                        call.attr_refs(), &layout));
  if (!IsRecorded(call, outputs, layout.segments())) return cases;
  Case backward;
  backward.op = call.op->backward;
  for (size_t i = 0; i < grad->inputs.size(); ++i) {
    const GradSource& source = grad->inputs[i];
    const bool input = source.kind == GradSource::Kind::kInput;
    const phi::ArgSegments slots = input ? call.segments() : layout.segments();
    for (int slot = slots.begin(source.index); slot < slots.end(source.index);
         ++slot) {
      CaseTensor tensor;
      if (!input) {
        tensor = outputs[slot];
      } else {
        tensor.dense = call.tensors[slot];
        if (!call.others.empty()) tensor.other = call.others[slot];
      }
      if (source.kind == GradSource::Kind::kOutputGrad &&
          !IsDifferentiable(tensor.base().dtype())) {
        tensor = CaseTensor();
      }
      backward.tensors.push_back(std::move(tensor.dense));
      backward.others.push_back(std::move(tensor.other));
    }
    backward.layout.Add(static_cast<size_t>(slots.size(source.index)));
  }
  for (size_t i = 0; i < grad->attrs.size(); ++i) {
    backward.attrs.push_back(
        grad->attrs[i] < 0 ? Attribute(grad->backward->attrs[i].default_value)
                           : call.attrs[grad->attrs[i]]);
  }
  SY_ASSIGN_OR_RETURN(std::vector<Case> further, BackwardCases(backward));
  cases.push_back(std::move(backward));
  std::move(further.begin(), further.end(), std::back_inserter(cases));
  return cases;
}

}  // namespace switchyard
