// SPDX-License-Identifier: Apache-2.0
// TypeId: the identity of a C++ type at run time. Types and attributes of the
// IR, traits and interfaces differ by it.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_TYPE_ID_H_
#define SWITCHYARD_STATIC_GRAPH_IR_TYPE_ID_H_

namespace switchyard::static_graph::ir {

namespace detail {

// One variable for each C++ type; only its address matters.
template <typename T>
struct TypeIdAnchor {
  inline static char address = 0;
};

}  // namespace detail

// The identity of a C++ type within the process. Any workspace has new ones by
// declaring a type; no list of them exists.
using TypeId = const void*;

// Returns the same id for the same type, and different ids for two types.
template <typename T>
TypeId TypeIdOf() {
  return &detail::TypeIdAnchor<T>::address;
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_TYPE_ID_H_
