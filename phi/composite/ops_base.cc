// SPDX-License-Identifier: Apache-2.0
#include "phi/composite/ops_base.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/attr_arg.h"

namespace switchyard::phi::composite {
namespace {

// The exception of Fail(), which Run() alone catches.
struct Ended {
  absl::Status status;
};

}  // namespace

absl::Status OpsBase::Run(absl::FunctionRef<void()> composite) {
  try {
    composite();
  } catch (Ended& ended) {
    return std::move(ended.status);
  } catch (const UnknownAttribute& unknown) {
    return absl::UnimplementedError(absl::StrCat(
        unknown.name(),
        " must be known where the operator is written as others, got ",
        unknown.value()));
  }
  return absl::OkStatus();
}

void OpsBase::Fail(absl::Status status) { throw Ended{std::move(status)}; }

}  // namespace switchyard::phi::composite
