// SPDX-License-Identifier: Apache-2.0
#include "phi/composite/ops.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/attr_arg.h"

namespace switchyard::phi {

template class ArgBuffer<const composite::Value*>;

}  // namespace switchyard::phi

namespace switchyard::phi::composite {
namespace {

// The exception of Fail(), which Run() alone catches.
struct Ended {
  absl::Status status;
};

}  // namespace

absl::Status Ops::Run(absl::FunctionRef<void()> body) {
  try {
    body();
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

void Ops::Fail(absl::Status status) { throw Ended{std::move(status)}; }

}  // namespace switchyard::phi::composite
