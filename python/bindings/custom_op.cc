// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/custom_op.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "eager/ops/autograd_ops.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/spec_text.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/op_table.h"
#include "python/bindings/attr_object.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/tracing_scope.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// (dtype, extents) for infer().
py::object MetaObject(DataType dtype, const Shape& shape) {
  py::tuple extents(shape.rank());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    extents[axis] = py::int_(shape[axis].number());
  }
  return py::make_tuple(Name(dtype), extents);
}

// call() with the GIL held; an exception of Python's becomes a status.
template <typename Call>
absl::Status WithPython(const std::string& op, Call call) {
  const HeldGil gil;
  const TracingScope::Suspension untraced;  // What it makes is its own.
  return WithGilOrWait([&]() -> absl::Status {
    try {
      return call();
    } catch (py::error_already_set& error) {
      error.restore();
      return HoldPythonError(op);
    } catch (const py::cast_error& error) {
      return TypeError("infer", "numbers of 64 bits", error.what());
    }
  });
}

}  // namespace

constexpr BackendInfo backend_python = {"python", &device_cpu, 50, true,
                                        &CpuContext::kContexts};

PythonOperator::PythonOperator(Signature signature)
    : signature_(std::move(signature)),
      slot_(signature_.name.c_str(), {}, &phi::KernelTables::FindOpKernels) {
  MakeInfo();
  MakeKernels();
  eager_.info = &info_;
  eager_.slot = &slot_;
  dialect_.info = &info_;
  if (signature_.legacy.has_value()) MakeForm(*signature_.legacy);
}

void PythonOperator::MakeInfo() {
  for (const Input& input : signature_.inputs) {
    inputs_.push_back({input.name.c_str()});
    inputs_.back().no_need_buffer = !input.read;
  }
  for (const Attr& attr : signature_.attrs) {
    phi::AttrInfo info = {attr.name.c_str(), attr.type};
    if (attr.default_value.has_value()) {
      info.has_default = true;
      info.default_value = attr.default_value->ref();
    }
    attrs_.push_back(info);
  }
  for (const Output& output : signature_.outputs) {
    outputs_.push_back({output.name.c_str(), output.optional});
  }
  info_.op = this;
  info_.name = signature_.name.c_str();
  info_.inputs = inputs_;
  info_.attrs = attrs_;
  info_.outputs = outputs_;
  info_.infer_meta_of = &InferThunk;
  info_.dtype_rule.input = 0;
  info_.file = signature_.file.c_str();
}

void PythonOperator::MakeKernels() {
  phi::ArgDef input = phi::AnyDtype();
  input.strided = true;
  input_defs_.assign(inputs_.size(), input);
  output_defs_.assign(outputs_.size(), phi::AnyDtype());
  for (int dtype = 0; dtype < kNumDataTypes; ++dtype) {
    Kernel& kernel = kernels_[dtype];
    kernel.op = this;
    phi::KernelDef& def = kernel;
    def.op = def.kernel = signature_.name.c_str();
    def.key = {&backend_python, DataLayout::kStrided,
               static_cast<DataType>(dtype)};
    def.inputs = input_defs_;
    def.outputs = output_defs_;
    def.thunk = &RunThunk;
    def.file = signature_.file.c_str();
    def.line = signature_.line;
  }
}

void PythonOperator::MakeForm(const Legacy& legacy) {
  const auto slots_of = [](const std::vector<Legacy::Slot>& slots) {
    std::vector<phi::LegacySlot> made;
    for (const Legacy::Slot& slot : slots) {
      made.push_back({slot.name.c_str(), static_cast<int16_t>(slot.argument)});
      made.back().dispensable = slot.argument < 0;
    }
    return made;
  };
  legacy_inputs_ = slots_of(legacy.inputs);
  legacy_outputs_ = slots_of(legacy.outputs);
  for (size_t i = 0; i < attrs_.size(); ++i) {
    legacy_attrs_.push_back({legacy.attrs[i].c_str(), static_cast<int16_t>(i),
                             attrs_[i].type, attrs_[i].has_default,
                             attrs_[i].default_value});
  }
  form_ = {legacy.type.c_str(),
           &info_,
           legacy_inputs_,
           legacy_outputs_,
           legacy_attrs_,
           {},
           {},
           ""};
  forms_.push_back(&form_);
}

absl::Status PythonOperator::Register() {
  std::vector<const phi::KernelDef*> kernels;
  for (int dtype = 1; dtype < kNumDataTypes; ++dtype) {
    kernels.push_back(&kernels_[dtype]);
  }
  return phi::OpTable::Current().Add({&info_, &eager_, &dialect_, forms_},
                                     kernels, &slot_);
}

void PythonOperator::SetFunctions(py::object infer, py::object run) {
  infer_ = std::move(infer);
  run_ = std::move(run);
  // Results that calls have cached under the old rule are stale.
  phi::RaiseKernelTableEpoch();
}

void PythonOperator::SetGradient(PythonOperator& backward,
                                 std::vector<phi::GradSource> sources) {
  grad_inputs_ = std::move(sources);
  for (size_t i = 0; i < attrs_.size(); ++i) {
    grad_attrs_.push_back(static_cast<int16_t>(i));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    grad_outputs_.push_back(static_cast<int16_t>(i));
  }
  grad_ = {&info_, &backward.info_, grad_inputs_, grad_attrs_, grad_outputs_};
  eager_.grad = dialect_.grad = &grad_;
  eager_.backward = &backward.eager_;
  eager_.autograd = &eager::autograd_ops;
  dialect_.backward = &backward.dialect_;
  if (!backward.forms_.empty()) form_.grad_type = backward.form_.type;
}

absl::Status PythonOperator::InferThunk(const phi::OpInfo& info,
                                        const phi::InferMetaContext& context) {
  const PythonOperator& op = *static_cast<const Info&>(info).op;
  return WithPython(op.signature_.name, [&] { return op.Infer(context); });
}

absl::Status PythonOperator::RunThunk(phi::KernelContext& context) {
  const PythonOperator& op = *static_cast<const Kernel*>(context.kernel())->op;
  return WithPython(op.signature_.name, [&] { return op.Run(context); });
}

py::tuple PythonOperator::Attributes(absl::Span<const AttrRef> attrs) const {
  py::tuple objects(attrs.size());
  for (size_t i = 0; i < attrs.size(); ++i) objects[i] = AttrObject(attrs[i]);
  return objects;
}

absl::Status PythonOperator::Infer(const phi::InferMetaContext& context) const {
  py::tuple metas(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorSpec& meta = *context.inputs.optional(static_cast<int>(i));
    if (meta.kind != TensorKind::kDense) {
      return TypeError(inputs_[i].name, "dense", Name(meta.kind));
    }
    metas[i] = MetaObject(meta.dtype, meta.shape);
  }
  const py::object infer = infer_;  // Python code may set another.
  const py::sequence results = infer(metas, Attributes(context.attrs));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    TensorSpec* const out = context.outputs.optional(static_cast<int>(i));
    if (out == nullptr) continue;
    const py::sequence result = results[i];
    SY_ASSIGN_OR_RETURN(
        out->dtype,
        DataTypeFromObject(outputs_[i].name, py::object(result[0]).ptr()));
    const py::sequence extents = result[1];
    if (py::len(extents) > kMaxRank) {
      return ArgumentError(outputs_[i].name,
                           absl::StrCat("of at most ", kMaxRank, " axes"),
                           absl::StrCat(py::len(extents)));
    }
    out->shape = Shape();
    for (const py::handle extent : extents) {
      out->shape.push_back(Dim::FromNumber(py::cast<int64_t>(extent)));
    }
  }
  return absl::OkStatus();
}

absl::Status PythonOperator::Run(const phi::KernelContext& context) const {
  py::tuple tensors(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    tensors[i] = py::none();
    if (inputs_[i].no_need_buffer) continue;
    const TensorBase& input = context.inputs.one(static_cast<int>(i));
    PyObject* const tensor =
        WrapTensor(eager::Tensor(static_cast<const DenseTensor&>(input)));
    if (tensor == nullptr) throw py::error_already_set();
    tensors[i] = py::reinterpret_steal<py::object>(tensor);
  }
  py::tuple wanted(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    wanted[i] =
        py::bool_(context.outputs.optional(static_cast<int>(i)) != nullptr);
  }
  const py::object run = run_;  // Python code may set another.
  const py::sequence results = run(tensors, Attributes(context.attrs), wanted);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    SY_RETURN_IF_ERROR(
        Take(static_cast<int>(i), py::object(results[i]), context));
  }
  return absl::OkStatus();
}

absl::Status PythonOperator::Take(int i, py::handle result,
                                  const phi::KernelContext& context) const {
  auto* const out = static_cast<DenseTensor*>(context.outputs.optional(i));
  if (out == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(context.device().Allocate(out));
  const size_t bytes = out->byte_size();
  const char* const name = outputs_[i].name;
  if (result.is_none() && outputs_[i].optional) {
    std::memset(out->mutable_data<void>(), 0, bytes);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(
      DenseTensor value,
      TensorFromObject(name, result.ptr(), DataType::kUndefined));
  // NumPy has no bfloat16: the function was given float32. Of an array without
  // axes and a number it makes a scalar of the number's dtype.
  const bool rounded = out->dtype() == DataType::kBFloat16 &&
                       value.dtype() == DataType::kFloat32;
  const bool scalar = value.rank() == 0 && IsFloating(value.dtype()) &&
                      IsFloating(out->dtype());
  if (value.dtype() != out->dtype() && (rounded || scalar)) {
    SY_ASSIGN_OR_RETURN(value,
                        TensorFromObject(name, result.ptr(), out->dtype()));
  }
  if (value.dtype() != out->dtype() || value.shape() != out->shape()) {
    return TypeError(name,
                     absl::StrCat(SpecText(out->dtype(), out->shape()),
                                  " as its infer rule says"),
                     SpecText(value.dtype(), value.shape()));
  }
  std::memcpy(out->mutable_data<void>(), value.raw_data(), bytes);
  return absl::OkStatus();
}

}  // namespace switchyard::python
