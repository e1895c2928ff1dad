// SPDX-License-Identifier: Apache-2.0
#ifndef SWITCHYARD_LIBRARY_PORT_ERROR_H_
#define SWITCHYARD_LIBRARY_PORT_ERROR_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"

namespace switchyard::library {

// Returns the error with the name of an input or output in front, which of them
// `what` says.
inline absl::Status Of(const char* what, const std::string& name,
                       const absl::Status& status) {
  return Annotate(status, absl::StrCat(what, " '", name, "'"));
}

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_PORT_ERROR_H_
