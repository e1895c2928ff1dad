// SPDX-License-Identifier: Apache-2.0
// The keys of an entry and of the maps in it that the build reads too
// (ops_gen/schema/keys.def).
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_KEYS_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_KEYS_H_

#include <string_view>
#include <vector>

namespace switchyard::ops_gen {

// Returns the keys that the map may have: "entry", "infer_meta", "kernel",
// "composite"; of a vocabulary "onnx", "onnx_slot" and "onnx_attr". Of
// "vocabularies" those of an entry that are vocabularies.
std::vector<std::string_view> EntryKeys(std::string_view map);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_KEYS_H_
