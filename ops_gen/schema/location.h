// SPDX-License-Identifier: Apache-2.0
// Location: a place in a YAML file.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_LOCATION_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_LOCATION_H_

#include <string>

namespace switchyard::ops_gen {

// The place in a YAML file that something was read from. Errors name it;
// generated code never does (an inserted line must not recompile a family).
struct Location {
  std::string file;
  int line = 0;  // From 1; 0 if unknown.
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_LOCATION_H_
