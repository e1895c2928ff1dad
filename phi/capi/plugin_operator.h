// SPDX-License-Identifier: Apache-2.0
// PluginOperator: an operator that a plugin brought, with its records in phi.
// Its records for eager calls and programs are made by the layers above
// (OperatorLayers in phi/capi/load_plugin.h). Also how its InferMeta and its
// body are run.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_OPERATOR_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_OPERATOR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/capi/plugin.h"
#include "phi/capi/signature.h"
#include "phi/core/grad_info.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"
#include "phi/core/op_table.h"

namespace switchyard::phi::capi {

// An operator, forward or backward, under its OpInfo. Never moved, and lives as
// long as the process once it is in force.
struct PluginOperator : OpInfo {
  const SyApi* api = nullptr;
  const char* plugin = nullptr;  // The plugin's name.
  Signature signature;
  std::string doc, file_text;
  int32_t line = 0;
  SyFunction infer_function = nullptr;
  SyFunction body = nullptr;  // Null: it has kernels.
  // The gradient of an operator with kernels; null if it has none.
  PluginOperator* backward = nullptr;
  GradInfo grad = {};
  // The kernels that the table in force has of it.
  std::optional<OpSlot> slot;
  // Made by the layers above.
  AddedOp added = {};

  // The spans of OpInfo and GradInfo refer to these.
  std::vector<InputInfo> input_list;
  std::vector<AttrInfo> attr_list;
  std::vector<OutputInfo> output_list;
  std::vector<GradSource> grad_inputs;
  std::vector<int16_t> grad_attrs, grad_outputs;
};

// Fills the OpInfo of an operator whose signature is set.
void FillOpInfo(PluginOperator* op);

// Makes `backward` the gradient of `op`: a body that takes the tensors named by
// `inputs`. ArgumentError for a name that is neither an input, an output, nor
// <output>_grad.
absl::Status SetGradient(const std::vector<std::string>& inputs,
                         PluginOperator* op, PluginOperator* backward);

// The values of a body: eager tensors, or values of a program. Owns them until
// the body has returned.
class Composer {
 public:
  virtual ~Composer() = default;
  // Returns an input of the call; null if it is absent.
  virtual const SyValue* Input(int number) = 0;
  // Returns the first output of another operator. NotFound if there is none of
  // the name, Unimplemented if it takes lists.
  virtual absl::StatusOr<const SyValue*> Compute(
      std::string_view op, absl::Span<const SyValue* const> inputs,
      std::string_view attrs) = 0;
  virtual bool IsWanted(int output) = 0;
  virtual void Yield(int output, const SyValue* value) = 0;
};

// Runs the body of `op`. Returns the first error of its calls, or of an
// exception that it throws.
absl::Status RunBody(const PluginOperator& op, absl::Span<const AttrRef> attrs,
                     Composer& composer);

// Puts the functions of SyApi for inference and bodies into `api`.
void AddOperatorFunctions(SyApi* api);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_OPERATOR_H_
