// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

const Op* FindOp(const Family& family, const std::string& name) {
  for (const Op& op : family.ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

}  // namespace switchyard::ops_gen
