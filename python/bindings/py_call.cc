// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/py_call.h"

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "eager/call/repeats.h"
#include "eager/call/run.h"
#include "phi/core/arg_buffer.h"
#include "python/bindings/call_inputs.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/fuller_form.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/parameters.h"
#include "python/bindings/trace_call.h"
#include "python/bindings/tracing_scope.h"
#include "python/bindings/tuple_of_results.h"

namespace switchyard::python {
namespace {

// Elements from which on the GIL is released: handing it over costs about as
// much as a vectorised pass over this many.
constexpr int64_t kReleaseElements = 1 << 15;
constexpr int kInline = 8;

PyObject* CallError(const OpFunction& f, const std::string& what) {
  PyErr_Format(PyExc_TypeError, "%s: %s", f.name->c_str(), what.c_str());
  return nullptr;
}

class PyCall {
 public:
  explicit PyCall(const OpFunction& f)
      : f_(f),
        eager_(f.eager),
        storage_(f.info->attrs.size()),
        bound_(f.names->size()) {}

  // False with an error set if the arguments do not fit the signature.
  bool Bind(PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    args_ = args;
    count_ = count;
    kwnames_ = kwnames;
    const auto positional = static_cast<Py_ssize_t>(f_.order->size());
    if (count > positional) {
      CallError(f_, "takes " + std::to_string(positional) +
                        (positional == 1 ? " argument" : " arguments") +
                        " by position, got " + std::to_string(count));
      return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) bound_[(*f_.order)[i]] = args[i];
    if (kwnames == nullptr) return true;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); ++k) {
      if (!BindKeyword(PyTuple_GET_ITEM(kwnames, k), args[count + k])) {
        return false;
      }
    }
    return true;
  }

  PyObject* Run() {
    absl::Status status = FlattenInputs();
    if (status.ok()) status = ParseAttributes();
    if (!status.ok()) {
      // A symbol that could not become a value.
      if (PyErr_Occurred() != nullptr) return nullptr;
      return SetError(Annotate(status, f_.info->name));
    }
    if (inputs_.traced) return RunTraced();
    status = ConvertInputs();
    if (!status.ok()) return SetError(Annotate(status, f_.info->name));
    return RunEager();
  }

 private:
  using Objects = absl::InlinedVector<PyObject*, kInline>;

  // Reads the value of inplace=...; false with an error set if it has no truth.
  bool TakeInplace(PyObject* value) {
    const int truth = PyObject_IsTrue(value);
    if (truth > 0) eager_ = f_.inplace->eager;
    return truth >= 0;
  }

  bool BindKeyword(PyObject* name, PyObject* value) {
    int found = ParameterOf(f_, name);
    if (found < 0 && IsInplaceKeyword(f_, name)) return TakeInplace(value);
    if (found < 0) found = ParameterOfOtherName(f_, name);
    if (found >= 0 && bound_[found] == nullptr) {
      bound_[found] = value;
      return true;
    }
    PyErr_Format(
        PyExc_TypeError,
        found < 0 ? "%s: has no argument '%U'" : "%s: got two values for '%U'",
        f_.name->c_str(), name);
    return false;
  }

  absl::Status FlattenInputs() {
    const phi::OpInfo& info = *f_.info;
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      SY_RETURN_IF_ERROR(FlattenInput(info.inputs[i], bound_[i]));
      inputs_.objects.EndArgument();
      if (inputs_.objects.size() > phi::kMaxArgElements) {
        return ArgumentError(info.inputs[i].name, "at most 65535 tensors",
                             "more");
      }
    }
    for (PyObject* object : inputs_.objects) {
      inputs_.traced |= object != nullptr && IsValue(object);
    }
    const TracingScope* const scope = TracingScope::Innermost();
    if (scope == nullptr) return absl::OkStatus();
    return scope->Look(inputs_.objects.view().elements(),
                       info.has(phi::Trait::kRandom), &inputs_.traced);
  }

  absl::Status FlattenInput(const phi::InputInfo& input, PyObject* object) {
    if (object == nullptr || object == Py_None) {
      if (!input.optional) {
        return TypeError(input.name,
                         input.list ? "a list of tensors" : "a tensor",
                         object == nullptr ? "nothing" : "None");
      }
      inputs_.objects.push_back(nullptr);
      return absl::OkStatus();
    }
    if (!input.list) {
      if (IsSymbol(object)) return FlattenSymbol(object);
      inputs_.objects.push_back(object);
      return absl::OkStatus();
    }
    if (!PyList_Check(object) && !PyTuple_Check(object)) {
      return TypeError(input.name, "a list of tensors",
                       Py_TYPE(object)->tp_name);
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(object, i);
      if (IsSymbol(item)) {
        SY_RETURN_IF_ERROR(FlattenSymbol(item));
        continue;
      }
      inputs_.objects.push_back(item);
      inputs_.held.push_back(item);
      Py_INCREF(item);
    }
    return absl::OkStatus();
  }

  // The symbol as a value. A status with an error of Python's set fails.
  absl::Status FlattenSymbol(PyObject* object) {
    PyObject* value = ValueOfSymbol(object);
    if (value == nullptr) return absl::InternalError("a symbol has no value");
    inputs_.held.push_back(value);
    inputs_.objects.push_back(value);
    return absl::OkStatus();
  }

  // Whether values of a graph supply the attribute: it is one, or a list with
  // one. They are held then.
  bool TakeSupplied(int attr, PyObject* object) {
    const auto traced = [](PyObject* item) {
      return IsValue(item) || IsSymbol(item);
    };
    SuppliedObjects supplied;
    supplied.attr = attr;
    bool any = traced(object);
    if (any) {
      supplied.objects.push_back(object);
    } else if (PyList_Check(object) || PyTuple_Check(object)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        supplied.objects.push_back(PySequence_Fast_GET_ITEM(object, i));
        any |= traced(supplied.objects.back());
      }
    }
    if (!any) return false;
    for (PyObject* item : supplied.objects) {
      inputs_.held.push_back(item);
      Py_INCREF(item);
    }
    inputs_.supplied.push_back(std::move(supplied));
    inputs_.traced = true;
    return true;
  }

  absl::Status ParseAttributes() {
    const phi::OpInfo& info = *f_.info;
    for (size_t i = 0; i < info.attrs.size(); ++i) {
      const phi::AttrInfo& attr = info.attrs[i];
      PyObject* object = bound_[info.inputs.size() + i];
      // None stands for the default, as in NumPy's axis=None.
      if (object == nullptr || (object == Py_None && attr.has_default)) {
        if (!attr.has_default) {
          return TypeError(attr.name, Name(attr.type), "nothing");
        }
        attrs_.push_back(attr.default_value);
        continue;
      }
      if (attr.supplied && TakeSupplied(static_cast<int>(i), object)) {
        attrs_.emplace_back();
        continue;
      }
      SY_ASSIGN_OR_RETURN(const AttrRef value,
                          storage_.Parse(attr.name, attr.type, object));
      attrs_.push_back(value);
    }
    return absl::OkStatus();
  }

  // The tensor whose place an array takes, and whose dtype a number takes too:
  // the first of those that are promoted, else the first one, or null.
  const eager::Tensor* TensorForNumbers() const {
    const eager::Tensor* first = nullptr;
    for (const auto [input, slot, object] : inputs_.objects.view()) {
      if (object == nullptr || !IsTensor(object)) continue;
      if (f_.info->promotion.inputs >> input & 1) return &GetTensor(object);
      if (first == nullptr) first = &GetTensor(object);
    }
    return first;
  }

  absl::Status ConvertInputs() {
    const phi::OpInfo& info = *f_.info;
    for (const auto [argument, slot, object] : inputs_.objects.view()) {
      if (object == nullptr) {
        inputs_.tensors.push_back(nullptr);
        continue;
      }
      if (IsTensor(object)) {
        inputs_.tensors.push_back(&GetTensor(object));
      } else {
        const char* name = info.inputs[argument].name;
        SY_ASSIGN_OR_RETURN(DenseTensor made,
                            OperandFromObject(name, object, TensorForNumbers(),
                                              info.promotion.integer_to_float));
        // Addresses must not move.
        if (inputs_.made.empty()) inputs_.made.reserve(inputs_.objects.size());
        inputs_.made.emplace_back(std::move(made));
        inputs_.tensors.push_back(&inputs_.made.back());
      }
      inputs_.elements += inputs_.tensors.back()->numel();
    }
    return absl::OkStatus();
  }

  template <typename Outputs>
  absl::Status RunOperator(Outputs outputs) {
    const eager::InputTensors inputs(inputs_.tensors,
                                     inputs_.objects.segments());
    if (inputs_.elements < kReleaseElements) {
      return eager::Run(*eager_, inputs, attrs_, outputs);
    }
    const ReleasedGil released;
    return eager::RunReading(*eager_, inputs, attrs_, outputs);
  }

  PyObject* RunEager() {
    Objects objects;
    if (f_.list_outputs) {
      std::vector<eager::Tensor> outputs;
      const absl::Status status = RunOperator(&outputs);
      if (!status.ok()) return SetError(status);
      // References must not be lost for want of a place.
      objects.reserve(outputs.size());
      for (eager::Tensor& tensor : outputs) {
        TracingScope::AddMadeHere(tensor);
        objects.push_back(WrapTensor(std::move(tensor)));
      }
      return Results(absl::MakeSpan(objects));
    }
    absl::InlinedVector<eager::Tensor, 2> outputs(f_.info->outputs.size());
    const absl::Status status = RunOperator(absl::MakeSpan(outputs));
    if (!status.ok()) return SetError(status);
    if (f_.only >= 0) return Wrap(f_.only, &outputs[f_.only]);
    objects.reserve(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      objects.push_back(Wrap(static_cast<int>(i), &outputs[i]));
    }
    return Results(absl::MakeSpan(objects));
  }

  // The output's object: the input's own where it was written in place.
  PyObject* Wrap(int output, eager::Tensor* tensor) {
    TracingScope::AddMadeHere(*tensor);
    const int input = f_.info->outputs[output].inplace_of;
    if (input >= 0) {
      PyObject* object = inputs_.objects.optional(input);
      if (object != nullptr && IsTensor(object) &&
          GetTensor(object) == *tensor) {
        Py_INCREF(object);
        return object;
      }
    }
    return WrapTensor(std::move(*tensor));
  }

  // A kernel is chosen when the program is finished, not now: the fuller form
  // says first whether it has a way that the operator has not.
  PyObject* RunTraced() {
    if (f_.fuller != nullptr) {
      PyObject* result = PyObject_Vectorcall(
          f_.fuller, args_, static_cast<size_t>(count_), kwnames_);
      if (result != Py_NotImplemented) return result;
      Py_DECREF(result);
    }
    TraceOptions options;
    options.supplied = inputs_.supplied;
    options.inplace = eager_->inplace;
    std::vector<PyObject*> objects;
    const absl::Status status = TraceCall(*f_.dialect, inputs_.objects.view(),
                                          attrs_, options, &objects);
    if (!status.ok()) {
      return PyErr_Occurred() != nullptr ? nullptr : SetError(status);
    }
    return Results(absl::MakeSpan(objects));
  }

  // One result as it is, several as a tuple, a list as a list; intermediate
  // ones are left out. Takes over the references, of which one is null if there
  // was no memory for it.
  PyObject* Results(absl::Span<PyObject*> objects) {
    const phi::OpInfo& info = *f_.info;
    const bool list = info.outputs.size() == 1 && info.outputs[0].list;
    if (!list && f_.list_outputs) {
      return TupleOfResults(info, inputs_.objects.segments(), attrs_, objects);
    }
    Py_ssize_t shown = 0;  // They move to the front.
    bool complete = true;
    for (size_t i = 0; i < objects.size(); ++i) {
      complete &= objects[i] != nullptr;
      if (!list && info.outputs[i].intermediate) {
        Py_XDECREF(objects[i]);
      } else {
        objects[shown++] = objects[i];
      }
    }
    if (complete && !list && shown == 1) return objects[0];
    PyObject* result = nullptr;
    if (complete) result = list ? PyList_New(shown) : PyTuple_New(shown);
    for (Py_ssize_t i = 0; i < shown; ++i) {
      if (result == nullptr) {
        Py_XDECREF(objects[i]);
      } else if (list) {
        PyList_SET_ITEM(result, i, objects[i]);
      } else {
        PyTuple_SET_ITEM(result, i, objects[i]);
      }
    }
    return result;
  }

  const OpFunction& f_;
  PyObject* const* args_ = nullptr;
  Py_ssize_t count_ = 0;
  PyObject* kwnames_ = nullptr;
  const eager::EagerOp* eager_;  // The in-place variant's if that is requested.
  AttrStorage storage_;
  absl::InlinedVector<PyObject*, 16> bound_;
  absl::InlinedVector<AttrRef, kInline> attrs_;
  CallInputs inputs_;
};

PyObject* BindAndRun(const OpFunction& op, PyObject* const* args,
                     Py_ssize_t count, PyObject* kwnames) {
  PyObject* result = Guarded([&]() -> PyObject* {
    PyCall call(op);
    return call.Bind(args, count, kwnames) ? call.Run() : nullptr;
  });
  if (result != nullptr || op.fuller == nullptr) return result;
  return CallFullerForm(op, args, count, kwnames);
}

}  // namespace

PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames) {
  return BindAndRun(*reinterpret_cast<OpFunction*>(self), args, count, kwnames);
}

PyObject* CallOpFunction(const OpFunction& op,
                         std::initializer_list<PyObject*> args) {
  return BindAndRun(op, args.begin(), static_cast<Py_ssize_t>(args.size()),
                    nullptr);
}

PyObject* CallOpFunction(const char* name,
                         std::initializer_list<PyObject*> args) {
  const OpFunction* f = FindOpFunction(name);
  if (f != nullptr) return CallOpFunction(*f, args);
  PyErr_Format(PyExc_NotImplementedError, "no operator %s", name);
  return nullptr;
}

}  // namespace switchyard::python
