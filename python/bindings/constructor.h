// SPDX-License-Identifier: Apache-2.0
// AddConstructor: py::init for classes that can be made when memory is short.
// pybind11 registers a new object after the block that turns exceptions into
// Python's, so that a failed registration ends the process; here it is inside.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CONSTRUCTOR_H_
#define SWITCHYARD_PYTHON_BINDINGS_CONSTRUCTOR_H_

#include <pybind11/pybind11.h>

#include <utility>

namespace switchyard::python {

// Type(arguments) is what make(arguments) returns. `extra`: names of arguments
// and their defaults, as for def().
template <typename... Arguments, typename Type, typename Make,
          typename... Extra>
void AddConstructor(pybind11::class_<Type>& type, Make make,
                    const Extra&... extra) {
  type.def(
      "__init__",
      [make](pybind11::detail::value_and_holder& self, Arguments... arguments) {
        auto* made = new Type(make(std::forward<Arguments>(arguments)...));
        self.value_ptr() = made;
        try {
          self.type->init_instance(self.inst, nullptr);
        } catch (...) {
          self.value_ptr() = nullptr;
          delete made;
          throw;
        }
      },
      pybind11::detail::is_new_style_constructor(), extra...);
}

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CONSTRUCTOR_H_
