// SPDX-License-Identifier: Apache-2.0
// LegacyOpVersions: the operator versions of a program, compared with the
// versions of the legacy forms.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_OPERATOR_VERSIONS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_OPERATOR_VERSIONS_H_

#include <string>
#include <string_view>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"

namespace switchyard::static_graph {

// Returns the newest version of an operator type in PaddlePaddle up to 3.3; 0
// for a type that never changed. A version added slots or attributes; a program
// of an older one lacks them and gets the defaults of the legacy form. The two
// versions that changed results instead (leaky_relu 1 for a negative slope or
// one over 1, hard_shrink 1 for a negative threshold) are not told apart:
// PaddlePaddle computes the newest version's result for any file.
int NewestVersion(std::string_view type);

// Holds which operators of a program have versions that can't be translated.
class LegacyOpVersions {
 public:
  // Reads the program's table, which files before 2.0 lack.
  explicit LegacyOpVersions(const ForeignProgram& program);

  // Returns Unimplemented for a type whose version is newer than the newest,
  // InvalidArgument for one below 0; of each type the first time alone.
  absl::Status Check(std::string_view type);

 private:
  HashMap<std::string, int> wrong_;  // Types whose versions are not known.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_OPERATOR_VERSIONS_H_
