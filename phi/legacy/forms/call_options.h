// SPDX-License-Identifier: Apache-2.0
// CallOptions: what a legacy call asks for beside its operator's arguments, by
// attributes that lead to none of ours: where it runs (op_device of any
// operator, force_cpu and place_type of some), with which library (use_mkldnn
// and its younger name use_onednn, use_cudnn), the seed of its random numbers
// (seed, fix_seed), and the kind of a gradient (is_sparse).
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_CALL_OPTIONS_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_CALL_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_call.h"
#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi {

// The wishes of one legacy call.
struct CallOptions {
  // Where it shall run, as ParsePlaceNear() reads it ("cpu", "gpu", "gpu:1");
  // "" for nowhere in particular.
  std::string device;
  const char* asked_by = "";  // The attribute that `device` is from.
  // Whether kernels of oneDNN and cuDNN shall serve it; nullopt where the call
  // leaves that to the policy.
  std::optional<bool> use_onednn;
  std::optional<bool> use_cudnn;
  // Decides its random numbers, the same ones in each call; without one they
  // are the generator's next.
  std::optional<int64_t> seed;
  bool sparse = false;  // The gradient of its table shall be SelectedRows.
};

// Reads the options of a call that MapAttributes accepts. ArgumentError for an
// op_device that is neither "", "all" nor a place, and where two attributes ask
// for different places, or use_mkldnn and use_onednn differ.
absl::StatusOr<CallOptions> ReadCallOptions(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given);

// ArgumentError if the options ask for a gradient in SelectedRows, of a call
// that computes or records one. (Operators that have such a gradient have an
// attribute for it, so is_sparse is no option of theirs.)
absl::Status CheckSparse(const CallOptions& options, bool gradient);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_CALL_OPTIONS_H_
