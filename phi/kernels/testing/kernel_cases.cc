// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/testing/kernel_cases.h"

#include <cmath>
#include <cstring>
#include <string>

#include "framework/device/cpu/parallel.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/signatures/every_operator.h"
#include "phi/kernels/testing/reordered_launch.h"

namespace switchyard::phi::kernels {
namespace {

// The layout of the inputs; a single list takes what the others leave.
ArgLayout InputLayout(const OpInfo& info, const KernelCase& call) {
  ArgLayout layout;
  const size_t rest = call.inputs.size() + 1 - info.inputs.size();
  size_t list = 0;
  for (const InputInfo& input : info.inputs) {
    const bool single = call.list_sizes.empty();
    layout.Add(!input.list ? 1 : single ? rest : call.list_sizes[list++]);
  }
  return layout;
}

TensorSpec MetaOf(const DenseTensor& x) {
  TensorSpec meta;
  meta.dtype = x.dtype();
  meta.shape = x.shape();
  return meta;
}

DataType KeyDtype(const KernelCase& call) {
  const OpInfo& info = FindInfo(call.op);
  const DtypeRule& rule = info.dtype_rule;
  if (rule.attr >= 0) {
    const auto dtype = call.attrs[rule.attr].Get<DataType>();
    if (dtype != DataType::kUndefined) return dtype;
  }
  if (rule.input < 0) return rule.literal;
  const ArgLayout layout = InputLayout(info, call);
  return call.inputs[layout.segments().begin(rule.input)].dtype();
}

bool IsViewOp(const OpInfo& info) {
  return !info.outputs.empty() && info.outputs[0].view_of >= 0;
}

// Copies of the inputs, so that nothing that a kernel does to them is lost.
std::vector<DenseTensor> CopyOf(const std::vector<DenseTensor>& tensors) {
  std::vector<DenseTensor> copies;
  for (const DenseTensor& x : tensors) {
    if (!x.allocated()) {
      copies.emplace_back();
      continue;
    }
    DenseTensor copy = x;
    auto buffer = CpuAllocator().Allocate(x.buffer()->size());
    std::memcpy((*buffer)->data(), x.buffer()->data(), x.buffer()->size());
    copy.SetBuffer(*std::move(buffer));
    copies.push_back(std::move(copy));
  }
  return copies;
}

void ExpectIdentical(const std::vector<DenseTensor>& actual,
                     const std::vector<DenseTensor>& expected,
                     const char* what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!expected[i].allocated()) continue;
    EXPECT_TRUE(TensorsIdentical(actual[i], expected[i])) << what;
  }
}

void CheckThreads(const KernelDef& kernel, const KernelCase& call,
                  const std::vector<DenseTensor>& expected) {
  if (!kernel.thread_invariant) return;
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  const int before = NumThreads();
  SetNumThreads(3);
  EXPECT_THAT(Launch(kernel, call, &*outputs), IsOk());
  SetNumThreads(before);
  ExpectIdentical(*outputs, expected, "with 3 threads");
}

void CheckStrides(const KernelDef& kernel, KernelCase call,
                  const std::vector<DenseTensor>& expected) {
  const OpInfo& info = FindInfo(call.op);
  const ArgLayout layout = InputLayout(info, call);
  const ArgList<DenseTensor> inputs(absl::MakeSpan(call.inputs),
                                    layout.segments());
  bool changed = false;
  for (const auto [argument, slot, input] : inputs) {
    if (!kernel.inputs[argument].strided || !input.allocated()) continue;
    input = WithOtherStrides(input);
    changed = true;
  }
  if (!changed) return;
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  EXPECT_THAT(Launch(kernel, call, &*outputs), IsOk());
  ExpectIdentical(*outputs, expected, "with other strides");
}

// Runs a kernel that chooses layouts with images in others than strided: where
// it takes them as they come, results are the same.
void CheckImageLayouts(const KernelDef& kernel, const KernelCase& call,
                       const std::vector<DenseTensor>& expected) {
  if (kernel.layouts == nullptr || call.inputs[0].rank() != 4) return;
  for (const char* tag : {"aBcd8b", "aBcd16b", "aDbc8d", "aDbc16d", "adbc"}) {
    SCOPED_TRACE(tag);
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    EXPECT_THAT(Launch(kernel, call, &*outputs, *ParseLayoutDescriptor(tag)),
                IsOk());
    ExpectIdentical(*outputs, expected, "in another layout");
  }
}

void CheckInplace(const KernelDef& kernel, KernelCase call,
                  const std::vector<DenseTensor>& expected) {
  bool any = false;
  for (const OutputInfo& output : FindInfo(call.op).outputs) {
    any = any || output.inplace_of >= 0;
  }
  if (!any) return;
  call.inputs = CopyOf(call.inputs);
  auto outputs = Outputs(call, /*inplace=*/true);
  ASSERT_THAT(outputs, IsOk());
  EXPECT_THAT(Launch(kernel, call, &*outputs), IsOk());
  ExpectIdentical(*outputs, expected, "in place");
}

}  // namespace

const OpInfo& FindInfo(std::string_view op) {
  for (const OpInfo* info : AllOpInfos()) {
    if (info->name == op) return *info;
  }
  ADD_FAILURE() << "no operator " << std::string(op);
  return *AllOpInfos()[0];
}

const KernelDef* FindKernel(const KernelCase& call, std::string_view backend) {
  const OpKernels* row = KernelTables::Current().Find(call.op);
  if (row == nullptr) return nullptr;
  for (const KernelDef* kernel : row->candidates(KeyDtype(call))) {
    bool dense = kernel->origin == KernelOrigin::kPhi;
    for (const ArgDef& input : kernel->inputs) {
      dense = dense && input.kind == TensorKind::kDense;
    }
    for (const ArgDef& output : kernel->outputs) {
      dense = dense && output.kind == TensorKind::kDense;
    }
    if (dense && kernel->key.backend->name == backend) return kernel;
  }
  return nullptr;
}

absl::StatusOr<std::vector<DenseTensor>> Outputs(const KernelCase& call,
                                                 bool inplace) {
  const OpInfo& info = FindInfo(call.op);
  const ArgLayout inputs = InputLayout(info, call);
  ArgLayout layout;
  SY_RETURN_IF_ERROR(
      LayOutOutputs(info, inputs.segments(), call.attrs, &layout));
  std::vector<TensorSpec> metas(layout.size());
  std::vector<TensorSpec> in_metas;
  for (const DenseTensor& x : call.inputs) in_metas.push_back(MetaOf(x));
  std::vector<const TensorSpec*> ins;
  for (size_t i = 0; i < in_metas.size(); ++i) {
    ins.push_back(call.inputs[i].allocated() ? &in_metas[i] : nullptr);
  }
  std::vector<TensorSpec*> outs;
  for (TensorSpec& meta : metas) outs.push_back(&meta);
  SY_RETURN_IF_ERROR(info.InferMeta(
      {{ins, inputs.segments()}, call.attrs, {outs, layout.segments()}}));

  std::vector<DenseTensor> outputs(metas.size());
  for (size_t i = 0; i < metas.size(); ++i) {
    // Optional, and not made by such a call.
    if (metas[i].dtype == DataType::kUndefined) continue;
    if (!metas[i].shape.known()) {  // The kernel allocates it.
      outputs[i].SetMeta(metas[i].dtype, Shape({0}), Place::Cpu());
      continue;
    }
    outputs[i].SetMeta(metas[i].dtype, metas[i].shape, Place::Cpu());
    if (IsViewOp(info)) continue;
    const int from =
        info.outputs[layout.segments().argument_of(static_cast<int>(i))]
            .inplace_of;
    // As dispatch does: only where the result looks like the input.
    const DenseTensor* source =
        inplace && from >= 0 ? &call.inputs[inputs.segments().begin(from)]
                             : nullptr;
    if (source != nullptr && source->shape() == metas[i].shape) {
      outputs[i].SetBuffer(source->buffer());
      continue;
    }
    SY_ASSIGN_OR_RETURN(outputs[i], EmptyLike(outputs[i], metas[i].layout));
    std::memset(outputs[i].buffer()->data(), 0xa5, outputs[i].buffer()->size());
  }
  return outputs;
}

absl::Status Launch(const KernelDef& kernel, const KernelCase& call,
                    std::vector<DenseTensor>* outputs, LayoutDescriptor given) {
  const OpInfo& info = FindInfo(call.op);
  const ArgLayout inputs = InputLayout(info, call);
  ArgLayout layout;
  SY_RETURN_IF_ERROR(
      LayOutOutputs(info, inputs.segments(), call.attrs, &layout));
  std::vector<const TensorBase*> ins;
  for (const DenseTensor& x : call.inputs) {
    ins.push_back(x.allocated() ? &x : nullptr);
  }
  std::vector<TensorBase*> outs;
  for (DenseTensor& out : *outputs) {
    outs.push_back(out.dtype() == DataType::kUndefined ? nullptr : &out);
  }
  if (kernel.layouts != nullptr) {
    return LaunchReordered(kernel, {ins, inputs.segments()}, call.attrs,
                           {outs, layout.segments()}, given);
  }
  // Where the test put the tensors.
  const Place place = outputs->empty() ? Place::Cpu() : (*outputs)[0].place();
  DeviceContext& device = kernel.key.backend->contexts->current(place);
  KernelContext context(
      device,
      {{ins, inputs.segments()}, call.attrs, {outs, layout.segments()}});
  return kernel.thunk(context);
}

absl::StatusOr<std::vector<DenseTensor>> RunKernel(const KernelCase& call,
                                                   std::string_view backend) {
  const KernelDef* kernel = FindKernel(call, backend);
  if (kernel == nullptr) {
    return absl::NotFoundError(std::string(call.op) + " on " +
                               std::string(backend));
  }
  SY_ASSIGN_OR_RETURN(std::vector<DenseTensor> outputs, Outputs(call));
  SY_RETURN_IF_ERROR(Launch(*kernel, call, &outputs));
  return outputs;
}

void CheckAgainstReference(const KernelCase& call, Tolerance tolerance) {
  std::string shapes(call.op);
  for (const DenseTensor& x : call.inputs) {
    shapes += x.allocated() ? " " + ToString(x) : " none";
  }
  SCOPED_TRACE(shapes);
  const std::vector<DenseTensor> before = CopyOf(call.inputs);
  const auto expected = RunKernel(call, "reference");
  ASSERT_THAT(expected, IsOk());
  ExpectIdentical(call.inputs, before, "inputs after the reference kernel");
  int checked = 0;
  for (const char* backend : {"cpu", "onednn"}) {
    const KernelDef* kernel = FindKernel(call, backend);
    if (kernel == nullptr) continue;
    ++checked;
    SCOPED_TRACE(std::string(backend));
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    ASSERT_THAT(Launch(*kernel, call, &*outputs), IsOk());
    for (size_t i = 0; i < outputs->size(); ++i) {
      if ((*expected)[i].dtype() == DataType::kUndefined) continue;
      EXPECT_TRUE(TensorsNear((*outputs)[i], (*expected)[i], tolerance));
    }
    ExpectIdentical(call.inputs, before, "inputs");
    CheckThreads(*kernel, call, *outputs);
    CheckStrides(*kernel, call, *outputs);
    CheckImageLayouts(*kernel, call, *outputs);
    CheckInplace(*kernel, call, *outputs);
  }
  EXPECT_GT(checked, 0) << "no kernel beside the reference one";
}

template <typename T>
DenseTensor RandomTensor(const Shape& shape, double low, double high,
                         uint64_t seed) {
  std::vector<T> values(shape.numel());
  uint64_t state = seed * 0x9e3779b97f4a7c15u;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = static_cast<double>(state >> 11) * 0x1p-53;
    return low + (high - low) * u;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = next();
    if constexpr (kIsComplex<T>) {
      values[i] = static_cast<T>(std::complex<double>(value, next()));
    } else {
      values[i] =
          static_cast<T>(std::is_integral_v<T> ? std::floor(value) : value);
    }
  }
  DenseTensor tensor = EmptyTensor(DataTypeOf<T>::value, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.mutable_data<T>()[i] = values[i];
  }
  return tensor;
}
template DenseTensor RandomTensor<bool>(const Shape&, double, double, uint64_t);
template DenseTensor RandomTensor<uint8_t>(const Shape&, double, double,
                                           uint64_t);
template DenseTensor RandomTensor<int8_t>(const Shape&, double, double,
                                          uint64_t);
template DenseTensor RandomTensor<float16>(const Shape&, double, double,
                                           uint64_t);
template DenseTensor RandomTensor<bfloat16>(const Shape&, double, double,
                                            uint64_t);
template DenseTensor RandomTensor<int16_t>(const Shape&, double, double,
                                           uint64_t);
template DenseTensor RandomTensor<std::complex<float>>(const Shape&, double,
                                                       double, uint64_t);
template DenseTensor RandomTensor<std::complex<double>>(const Shape&, double,
                                                        double, uint64_t);
template DenseTensor RandomTensor<int32_t>(const Shape&, double, double,
                                           uint64_t);
template DenseTensor RandomTensor<int64_t>(const Shape&, double, double,
                                           uint64_t);
template DenseTensor RandomTensor<float>(const Shape&, double, double,
                                         uint64_t);
template DenseTensor RandomTensor<double>(const Shape&, double, double,
                                          uint64_t);

DenseTensor WithOtherStrides(const DenseTensor& x) {
  Strides strides = {};
  int64_t next = 2;  // Gaps: every other element.
  for (int axis = 0; axis < x.rank(); ++axis) {
    strides[axis] = next;
    next *= std::max<int64_t>(1, x.extent(axis));
  }
  const auto size = static_cast<int64_t>(ElementSize(x.dtype()));
  const int64_t offset = 3;
  DenseTensor memory = EmptyTensor(x.dtype(), Shape({next + offset}));
  char* to = static_cast<char*>(memory.buffer()->data());
  std::memset(to, 0xff, (next + offset) * size);
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t rest = i, from_offset = 0, to_offset = offset;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      const int64_t index = rest % x.extent(axis);
      rest /= x.extent(axis);
      from_offset += index * x.strides()[axis];
      to_offset += index * strides[axis];
    }
    std::memcpy(to + to_offset * size,
                static_cast<const char*>(x.raw_data()) + from_offset * size,
                size);
  }
  DenseTensor view;
  view.SetView(memory, x.shape(), strides, offset);
  return view;
}

void CheckGradient(GradientCase gradient, double tolerance) {
  const auto first = RunKernel(gradient.forward, "reference");
  ASSERT_THAT(first, IsOk());
  const DenseTensor weight = RandomTensor<double>(
      (*first)[gradient.output].shape(), -1, 1, /*seed=*/77);
  const auto weighed = [&] {
    const auto outputs = RunKernel(gradient.forward, "reference");
    double sum = 0;
    for (int64_t i = 0; i < weight.numel(); ++i) {
      sum += weight.data<double>()[i] *
             (*outputs)[gradient.output].data<double>()[i];
    }
    return sum;
  };
  gradient.backward.inputs.insert(
      gradient.backward.inputs.begin() + gradient.grad_input, weight);
  const auto grads = RunKernel(gradient.backward, "reference");
  ASSERT_THAT(grads, IsOk());
  const DenseTensor& grad = (*grads)[gradient.grad_output];
  DenseTensor& x = gradient.forward.inputs[gradient.input];
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < x.numel(); ++i) {
    double& v = x.mutable_data<double>()[i];
    const double at = v;
    v = at + kStep;
    const double above = weighed();
    v = at - kStep;
    const double below = weighed();
    v = at;
    EXPECT_NEAR(grad.data<double>()[i], (above - below) / (2 * kStep),
                tolerance)
        << gradient.backward.op << ", element " << i;
  }
}

}  // namespace switchyard::phi::kernels
