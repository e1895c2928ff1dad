// SPDX-License-Identifier: Apache-2.0
// The count of writes that a traced program may depend on.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CHANGES_H_
#define SWITCHYARD_PYTHON_BINDINGS_CHANGES_H_

#include <atomic>
#include <cstdint>

namespace switchyard::python {

// Raised by writes of what Python reads while it traces and what nobody else
// counts: attributes of modules and optimizers, hooks, `requires_grad`. As long
// as it stands still, none of them has changed.
inline std::atomic<uint64_t> changes{0};

inline void NoteChange() { changes.fetch_add(1, std::memory_order_relaxed); }

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CHANGES_H_
