// SPDX-License-Identifier: Apache-2.0
// The named sets of dtypes that `kernels:` may give in place of a list
// (ops_gen/schema/dtype_sets.def).
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_DTYPE_SETS_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_DTYPE_SETS_H_

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::ops_gen {

// Returns the dtypes of the set `name`; none if there is no such set.
std::vector<std::string> DtypesOfSet(std::string_view name);

// Returns the name of the set that holds just `dtypes`, in any order; "" if
// there is none.
std::string SetOfDtypes(std::vector<std::string> dtypes);

// Returns the names of all sets.
std::vector<std::string_view> DtypeSetNames();

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_DTYPE_SETS_H_
