// SPDX-License-Identifier: Apache-2.0
#include "eager/call/choose_kernels.h"

#include "eager/tensor/tensor.h"
#include "framework/base/small_array.h"
#include "phi/core/added_kernels.h"
#include "phi/core/composed_meta.h"
#include "phi/core/infer_meta_context.h"
#include "phi/dispatch/dispatch_cache.h"
#include "phi/dispatch/environment.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/composes.h"

namespace switchyard::eager {
namespace {

constexpr int kInline = 8;
constexpr int kInlineOutputs = 4;

// Whether an output is not asked for.
bool IsUnwanted(const phi::OpInfo& info, const ChoiceArgs& args, size_t slot) {
  const int output = args.outputs.argument_of(static_cast<int>(slot));
  return info.outputs[output].optional && !args.wanted.empty() &&
         !args.wanted[slot];
}

// Whether a kernel has answered the same call: dispatch remembers no others of
// an operator that is composed otherwise.
bool Answered(const phi::OpInfo& info, const phi::OpKernels& kernels,
              const ChoiceArgs& args) {
  SmallArray<const TensorBase*, kInline> inputs(args.inputs.size());
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    const Tensor* const input = args.inputs[slot];
    if (input != nullptr && input->defined()) inputs[slot] = &input->base();
  }
  SmallArray<DenseTensor, kInlineOutputs> results(args.outputs.size());
  SmallArray<TensorBase*, kInlineOutputs> outputs(results.size());
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!IsUnwanted(info, args, slot)) outputs[slot] = &results[slot];
  }
  return phi::dispatch::DispatchCacheEntry::Find(
             phi::dispatch::DispatchCacheKey(
                 {&info,
                  &kernels,
                  &phi::dispatch::Environment::Current(),
                  {{inputs, args.inputs.segments()},
                   args.attrs,
                   {outputs, args.outputs}}})) != nullptr;
}

// Whether the composite of an operator answers a call that its kernels, which
// were added at run time, might answer. `info` is of the operator, with
// InferMeta. What that refuses, the composite refuses by the same words, and so
// do tensors that no query can be made of.
bool Composes(const phi::OpInfo& info, const phi::OpKernels& kernels,
              const ChoiceArgs& args) {
  SmallArray<const TensorMeta*, kInline> metas(args.inputs.size());
  SmallArray<const TensorSpec*, kInline> specs(args.inputs.size());
  for (const auto [argument, slot, input] : args.inputs) {
    const phi::InputInfo& of = info.inputs[argument];
    if (input == nullptr || !input->defined()) {
      if (!of.optional) return true;
      continue;
    }
    // A graph that was recorded before the kernels came keeps no elements that
    // the composite does not read.
    if (!of.no_need_buffer && !input->base().allocated()) return true;
    specs[slot] = metas[slot] = &input->base().meta();
  }
  if (Answered(info, kernels, args)) return false;
  const phi::ArgSegments& segments = args.inputs.segments();
  const auto& environment = phi::dispatch::Environment::Current();
  phi::selection::Query query;
  query.op = &info;
  query.inputs = {metas, segments};
  query.attrs = args.attrs;
  const auto dtype = phi::selection::KeyDtype(info, query.inputs, args.attrs);
  if (!dtype.ok() || kernels.candidates(*dtype).empty()) return true;
  const auto place = phi::selection::CallPlace(info, query.inputs, args.attrs,
                                               environment.default_place);
  if (!place.ok()) return true;
  query.dtype = *dtype;
  query.place = *place;
  SmallArray<TensorSpec, kInlineOutputs> results(args.outputs.size());
  SmallArray<TensorSpec*, kInlineOutputs> outputs(results.size());
  SmallArray<const TensorSpec*, kInlineOutputs> inferred(results.size());
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (IsUnwanted(info, args, slot)) continue;
    inferred[slot] = outputs[slot] = &results[slot];
  }
  if (!info.InferMeta({{specs, segments}, args.attrs, {outputs, args.outputs}})
           .ok()) {
    return true;
  }
  query.outputs = {inferred, args.outputs};
  return phi::selection::Composes(kernels, query, environment.policy);
}

}  // namespace

ChosenKernels ChooseOrCompose(const EagerOp& op, const ChoiceArgs& args) {
  constexpr ChosenKernels kComposite = {nullptr, nullptr};
  const bool alone = op.slot == nullptr;
  const phi::OpKernels* const kernels =
      alone ? phi::AddedKernels(*op.info) : &op.slot->Get();
  if (kernels == nullptr) return kComposite;
  // The kernel's result would have no gradient; the composite's has.
  if (args.needs_grad && op.grad == nullptr) return kComposite;
  if (alone) {
    const phi::OpInfo* const info = phi::WithInferMeta(*op.info);
    if (args.inplace || info == nullptr || Composes(*info, *kernels, args)) {
      return kComposite;
    }
    return {kernels, info};
  }
  const bool composed = phi::selection::PrefersComposite(
      *kernels, phi::dispatch::Environment::Current().policy);
  return composed ? kComposite : ChosenKernels{kernels, op.info};
}

}  // namespace switchyard::eager
