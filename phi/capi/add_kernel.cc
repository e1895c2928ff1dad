// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <list>
#include <optional>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/device/transfer.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/capi/plugin_call.h"
#include "phi/capi/plugin_conditions.h"
#include "phi/capi/registry.h"
#include "phi/core/composed_meta.h"
#include "phi/core/kernel_context.h"
#include "phi/core/op_table.h"

namespace switchyard::phi::capi {
namespace {

// Tensors as the operator's kernel of backend cpu takes them, except that
// they are contiguous and strided. Unimplemented where C has no way to pass
// them.
absl::Status MakeArgDefs(const OpInfo& op, const OpKernels* own,
                         PluginKernel* kernel) {
  const KernelDef* model = nullptr;
  if (own != nullptr) {
    for (const KernelDef* candidate : own->candidates(kernel->key.dtype)) {
      if (candidate->key.backend != &backend_cpu) continue;
      model = candidate;
      break;
    }
  }
  const auto copy = [kernel](absl::Span<const ArgDef> from, size_t count,
                             std::vector<ArgDef>* to) {
    to->assign(count, ArgDef());
    for (size_t i = 0; i < std::min(count, from.size()); ++i) {
      (*to)[i] = from[i];
      (*to)[i].strided = (*to)[i].any_layout = false;
      // The host reads no other device.
      if (kernel->key.backend->device != &device_cpu) (*to)[i].host = false;
    }
  };
  copy(model == nullptr ? absl::Span<const ArgDef>() : model->inputs,
       op.inputs.size(), &kernel->input_defs);
  copy(model == nullptr ? absl::Span<const ArgDef>() : model->outputs,
       op.outputs.size(), &kernel->output_defs);
  // A composed operator has no model. Indices and masks come beside tensors of
  // the key dtype. (An operator of a plugin takes tensors of that dtype alone.)
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (model != nullptr || op.infer_meta_of != nullptr) break;
    if (op.inputs[i].castable) continue;
    kernel->input_defs[i].dtype_rule = ArgDef::Dtype::kSet;
    kernel->input_defs[i].set = DataTypeSet(kernel->key.dtype, DataType::kBool,
                                            DataType::kInt32, DataType::kInt64);
  }
  const auto unimplemented = [](const char* name, const char* what) {
    return absl::UnimplementedError(
        absl::StrCat(name, " is ", what, ", which plugins can't pass yet"));
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (kernel->input_defs[i].kind != TensorKind::kDense) {
      return unimplemented(op.inputs[i].name, "not dense");
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const OutputInfo& output = op.outputs[i];
    if (output.view_of >= 0) return unimplemented(output.name, "a view");
    if (kernel->output_defs[i].kind != TensorKind::kDense) {
      return unimplemented(output.name, "not dense");
    }
  }
  return absl::OkStatus();
}

// Which outputs the kernel makes. Those of the operator's own kernel, where
// there is one, must be the same.
absl::Status SetLateOutputs(const OpInfo& op, uint32_t late,
                            PluginKernel* kernel) {
  const size_t count = kernel->output_defs.size();
  if (count < 32 && (late >> count) != 0) {
    return ArgumentError("late_outputs",
                         absl::StrCat("a bit for each of ", count, " outputs"),
                         absl::StrCat(late));
  }
  for (size_t i = 0; i < count && i < 32; ++i) {
    ArgDef& def = kernel->output_defs[i];
    const bool given = ((late >> i) & 1) != 0;
    if (def.self_allocated && !given) {
      return ArgumentError("late_outputs",
                           absl::StrCat("of a bit for ", op.outputs[i].name,
                                        ", whose size depends on data"),
                           absl::StrCat(late));
    }
    def.self_allocated = given;
  }
  if (late != 0 && kernel->key.backend->device->streams != nullptr) {
    return absl::UnimplementedError(
        "late_outputs: kernels of devices can't make outputs yet");
  }
  return absl::OkStatus();
}

// Whether the operator is written as others by a plugin.
bool HasBody(const SyRegistry& registry, const OpInfo& op) {
  const auto& own = registry.records->operators;
  return OpTable::Current().Find(op.name) != nullptr ||
         std::any_of(own.begin(), own.end(), [&](const PluginOperator& other) {
           return &other == &op;
         });
}

absl::Status FillKernel(const SyRegistry& registry, const SyKernel& given,
                        PluginKernel* kernel) {
  const OpInfo* const op = FindOperator(registry, given.op);
  if (op == nullptr) {
    return ArgumentError("op", "an operator of this process or of the plugin",
                         Quoted(given.op));
  }
  if (!op->has_infer_meta() &&
      (HasBody(registry, *op) || WithInferMeta(*op) == nullptr)) {
    return absl::UnimplementedError(
        "the operator is written as others and takes no kernels");
  }
  kernel->info = op;
  kernel->op = op->name;
  SY_RETURN_IF_ERROR(CheckIdentifier("name", given.name));
  const std::list<PluginBackend>& backends = registry.records->backends;
  const auto backend = std::find_if(
      backends.begin(), backends.end(), [&](const PluginBackend& candidate) {
        return given.backend != nullptr && candidate.name == given.backend;
      });
  if (backend == backends.end()) {
    return ArgumentError("backend", "one that the plugin has added before",
                         Quoted(given.backend));
  }
  const std::optional<DataType> dtype =
      ParseDataType(given.dtype == nullptr ? "" : given.dtype);
  if (!dtype.has_value() || *dtype == DataType::kUndefined) {
    return ArgumentError("dtype", "the name of a dtype", Quoted(given.dtype));
  }
  if (given.function == nullptr) {
    return ArgumentError("function", "given", "null");
  }
  kernel->name_text = given.name;
  kernel->file_text =
      given.file == nullptr ? registry.records->path : given.file;
  kernel->kernel = kernel->name_text.c_str();
  kernel->key = {&backend->info, DataLayout::kStrided, *dtype};
  kernel->function = given.function;
  kernel->thunk = backend->info.device->streams == nullptr
                      ? &RunPluginKernel
                      : &RunPluginKernelOnStream;
  kernel->file = kernel->file_text.c_str();
  kernel->line = given.line;
  SY_RETURN_IF_ERROR(
      MakeArgDefs(*op, registry.kernels->Find(given.op), kernel));
  // The rest of the record is as in version 1.0.
  const bool with_late =
      given.struct_size >= offsetof(SyKernel, late_outputs) + sizeof(int32_t);
  SY_RETURN_IF_ERROR(SetLateOutputs(
      *op, with_late ? static_cast<uint32_t>(given.late_outputs) : 0, kernel));
  SY_ASSIGN_OR_RETURN(kernel->condition_list,
                      ConditionsOf(*op, *backend->info.device, given));
  for (ArgDef& def : kernel->input_defs) def.strided = given.strided != 0;
  kernel->inputs = kernel->input_defs;
  kernel->outputs = kernel->output_defs;
  kernel->conditions = kernel->condition_list;
  return absl::OkStatus();
}

// A kernel of the same operator, backend, dtype and name; null if there is
// none.
const PluginKernel* FindTwin(const PluginRecords& records,
                             const PluginKernel& kernel) {
  for (const PluginKernel& other : records.kernels) {
    if (&other != &kernel && other.info == kernel.info &&
        other.key.backend == kernel.key.backend &&
        other.key.dtype == kernel.key.dtype &&
        other.name_text == kernel.name_text) {
      return &other;
    }
  }
  return nullptr;
}

// Copies elements of any strides through memory of the host.
absl::Status MoveStrided(const DenseTensor& x, const DenseTensor& out) {
  const size_t element = ElementSize(x.dtype());
  const size_t bytes = static_cast<size_t>(x.numel()) * element;
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> whole,
                      CpuAllocator().Allocate(x.buffer()->size()));
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> packed,
                      CpuAllocator().Allocate(bytes));
  SY_RETURN_IF_ERROR(CopyBytes({x.buffer().get(), x.buffer()->data()},
                               {whole.get(), whole->data()}, whole->size()));
  CopyStrided(element, x.shape(),
              static_cast<const char*>(whole->data()) +
                  x.offset() * static_cast<int64_t>(element),
              x.strides(), packed->data(), ContiguousStrides(x.shape()));
  return CopyBytes({packed.get(), packed->data()}, BytesOf(out), bytes);
}

// The kernel of `copy` to or from a device of a plugin.
absl::Status Move(KernelContext& context) {
  const auto& x = static_cast<const DenseTensor&>(context.inputs.one(0));
  const auto& out =
      static_cast<const DenseTensor&>(*context.outputs.optional(0));
  SY_RETURN_IF_ERROR(CheckPlace(x.place()));
  SY_RETURN_IF_ERROR(CheckPlace(out.place()));
  if (!x.contiguous()) return MoveStrided(x, out);
  return CopyBytes(BytesOf(x), BytesOf(out), x.byte_size());
}

}  // namespace

absl::Status AddKernel(SyRegistry& registry, const SyKernel* given,
                       const SyApi* api) {
  SY_RETURN_IF_ERROR(
      CheckSize("SyKernel", given, offsetof(SyKernel, late_outputs)));
  PluginRecords& records = *registry.records;
  records.kernels.emplace_back();
  PluginKernel& kernel = records.kernels.back();
  kernel.api = api;
  kernel.plugin = records.name.c_str();
  const std::string about =
      absl::StrCat("kernel ", given->name == nullptr ? "" : given->name,
                   " for ", given->op == nullptr ? "" : given->op);
  SY_RETURN_IF_ERROR(Annotate(FillKernel(registry, *given, &kernel), about));
  if (const PluginKernel* twin = FindTwin(records, kernel)) {
    return absl::AlreadyExistsError(absl::StrCat(
        about, " ", given->dtype, " must be registered once, got ", twin->file,
        ":", twin->line, " and ", kernel.file, ":", kernel.line));
  }
  return absl::OkStatus();
}

void AddCopies(SyRegistry& registry, const PluginBackend& backend) {
  const OpInfo* const copy = FindOperator(registry, "copy");
  if (copy == nullptr) return;
  for (int dtype = 1; dtype < kNumDataTypes; ++dtype) {
    registry.records->kernels.emplace_back();
    PluginKernel& kernel = registry.records->kernels.back();
    kernel.info = copy;
    kernel.op = copy->name;
    kernel.name_text = copy->name;
    kernel.kernel = kernel.name_text.c_str();
    kernel.key = {&backend.info, DataLayout::kStrided,
                  static_cast<DataType>(dtype)};
    kernel.thunk = &Move;
    kernel.input_defs.resize(1);
    kernel.output_defs.resize(1);
    kernel.input_defs[0].strided = true;
    kernel.inputs = kernel.input_defs;
    kernel.outputs = kernel.output_defs;
    kernel.file = __FILE__;
    kernel.line = __LINE__;
  }
}

}  // namespace switchyard::phi::capi
