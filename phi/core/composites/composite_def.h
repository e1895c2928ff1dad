// SPDX-License-Identifier: Apache-2.0
// CompositeDef: what an operator is composed of, as constant data: the
// candidate that ends its row (phi/core/kernel_table.h). One record for all
// dtypes. The bodies themselves are in phi/composite; no table refers to them.
#ifndef SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_DEF_H_
#define SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_DEF_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/types/data_type.h"

namespace switchyard::phi {

// The record of one operator that is, or can be, composed of others.
struct CompositeDef {
  const char* op;
  // The operators of its body (`uses` of the entry) without those whose results
  // are views of their inputs, which run anywhere: names, with spaces between.
  const char* parts;
  // The dtypes that the entry documents: those of its kernels. Nothing, where
  // it has none: then the body says what it takes.
  DataTypeSet dtypes;
  // The entry has no kernels: those in a table were added at run time.
  bool alone;

  bool Admits(DataType dtype) const { return alone || dtypes.contains(dtype); }
};

// Returns those of all operators that have one, by name; generated.
absl::Span<const CompositeDef> AllComposites();

// Returns that of an operator; null if it has none. Binary search: for cold
// paths.
const CompositeDef* FindComposite(std::string_view op);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_DEF_H_
