// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/explain_words.h"

#include <deque>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/inplace.h"
#include "framework/types/spec_text.h"
#include "phi/core/arg_buffer.h"
#include "python/bindings/convert.h"
#include "python/bindings/objects.h"
#include "python/bindings/trace_call.h"
#include "static_graph/dialect/supplied_attrs.h"

namespace switchyard::python {
namespace {

// An owned reference.
class Held {
 public:
  explicit Held(PyObject* object) : object_(object) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

std::string WordsOf(const eager::Tensor& tensor) {
  std::string text(Name(tensor.dtype()));
  text += ToString(tensor.shape());
  if (tensor.kind() != TensorKind::kDense) {
    text = std::string(Name(tensor.kind())) + " " + text;
  } else if (const DenseTensor& dense = tensor.dense(); !dense.contiguous()) {
    text += absl::StrCat(
        " strides [",
        absl::StrJoin(absl::MakeConstSpan(dense.strides().data(),
                                          static_cast<size_t>(dense.rank())),
                      ", "),
        "]");
  }
  return text + " on " + ToString(tensor.place());
}

bool IsSequence(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object);
}

bool IsTraced(PyObject* object) { return IsValue(object) || IsSymbol(object); }

// "float32[?, 3]" of an object with a shape and a dtype that is no array, as
// static.InputSpec is; empty for others.
std::string SpecWords(PyObject* object) {
  if (PyObject_HasAttrString(object, "__array__") != 0 ||
      PyObject_HasAttrString(object, "shape") == 0 ||
      PyObject_HasAttrString(object, "dtype") == 0) {
    return "";
  }
  const Held shape(PyObject_GetAttrString(object, "shape"));
  const Held dtype(PyObject_GetAttrString(object, "dtype"));
  const Held name(dtype.get() == nullptr ? nullptr : PyObject_Str(dtype.get()));
  const Held extents(shape.get() == nullptr
                         ? nullptr
                         : PySequence_Fast(shape.get(), "a shape"));
  const char* text =
      name.get() == nullptr ? nullptr : PyUnicode_AsUTF8(name.get());
  std::string words;
  if (text != nullptr && extents.get() != nullptr) {
    std::vector<std::string> items;
    const Py_ssize_t rank = PySequence_Fast_GET_SIZE(extents.get());
    for (Py_ssize_t i = 0; i < rank; ++i) {
      PyObject* extent = PySequence_Fast_GET_ITEM(extents.get(), i);
      const int64_t value =
          PyLong_Check(extent) ? PyLong_AsLongLong(extent) : -1;
      items.push_back(value < 0 ? "?" : std::to_string(value));
    }
    words = absl::StrCat(text, "[", absl::StrJoin(items, ", "), "]");
  }
  PyErr_Clear();
  return words;
}

// The dtype of "selected_rows float32[2]"; kUndefined for other text.
DataType DtypeOfWords(std::string_view words) {
  words = words.substr(0, words.find('['));
  while (!words.empty() && words.back() == ' ') words.remove_suffix(1);
  const size_t space = words.rfind(' ');
  if (space != std::string_view::npos) words.remove_prefix(space + 1);
  return ParseDataType(words).value_or(DataType::kUndefined);
}

// Writes one call.
class Writer {
 public:
  Writer(const eager::EagerOp& op, PyObject* arguments)
      : op_(op),
        info_(*op.info),
        arguments_(arguments),
        storage_(info_.attrs.size()) {}

  absl::StatusOr<ExplainWords> Write() {
    SY_RETURN_IF_ERROR(CheckNames());
    SY_RETURN_IF_ERROR(FindLike());
    for (const phi::InputInfo& input : info_.inputs) {
      SY_RETURN_IF_ERROR(AddInput(input));
      tensors_.EndArgument();
    }
    for (const phi::AttrInfo& attr : info_.attrs) {
      SY_RETURN_IF_ERROR(AddAttribute(attr));
    }
    SY_RETURN_IF_ERROR(CheckWritten());
    return std::move(words_);
  }

 private:
  // Null if it is absent or None.
  PyObject* Argument(const char* name) const {
    PyObject* object = PyDict_GetItemString(arguments_, name);
    return object == Py_None ? nullptr : object;
  }

  absl::Status CheckNames() const {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(arguments_, &position, &key, &value) != 0) {
      const char* name = PyUnicode_AsUTF8(key);
      if (name != nullptr &&
          (info_.input_index(name) >= 0 || info_.attr_index(name) >= 0)) {
        continue;
      }
      PyErr_Clear();
      std::vector<std::string> known;
      for (const phi::InputInfo& input : info_.inputs) {
        known.push_back(input.name);
      }
      for (const phi::AttrInfo& attr : info_.attrs) known.push_back(attr.name);
      return ArgumentError(
          "argument", absl::StrCat("one of ", absl::StrJoin(known, ", ")),
          absl::StrCat("'", name == nullptr ? "?" : name, "'"));
    }
    return absl::OkStatus();
  }

  // The dtype that a number beside this object takes; kUndefined if it has
  // none to give.
  static DataType DtypeOf(PyObject* object) {
    if (IsTensor(object)) return GetTensor(object).dtype();
    if (IsValue(object)) return GetValue(object).type.dtype();
    const char* text =
        PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
    PyErr_Clear();
    return DtypeOfWords(text == nullptr ? SpecWords(object) : text);
  }

  // Finds the tensor that numbers go with, as a call does (py_call.cc): one
  // that the call is given, or one that stands for the first that is described.
  absl::Status FindLike() {
    DataType described = DataType::kUndefined;
    uint32_t promoted = info_.promotion.inputs;
    for (const phi::InputInfo& input : info_.inputs) {
      const bool joins = (promoted & 1) != 0;
      promoted >>= 1;
      PyObject* given = Argument(input.name);
      if (given == nullptr) continue;
      const bool list = input.list && IsSequence(given);
      const Py_ssize_t count = list ? PySequence_Fast_GET_SIZE(given) : 1;
      for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = list ? PySequence_Fast_GET_ITEM(given, i) : given;
        if (IsTensor(item) && (joins || !like_.defined())) {
          like_ = GetTensor(item);
          if (joins) return absl::OkStatus();
        }
        if (described == DataType::kUndefined) described = DtypeOf(item);
      }
    }
    if (like_.defined()) return absl::OkStatus();
    if (described == DataType::kUndefined) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(
        DenseTensor like,
        DenseTensor::Allocate(described, Shape(), CpuAllocator()));
    like_ = eager::Tensor(std::move(like));
    return absl::OkStatus();
  }

  absl::Status AddInput(const phi::InputInfo& input) {
    PyObject* given = Argument(input.name);
    if (given == nullptr) {
      // A random operator draws its state.
      if (info_.has(phi::Trait::kRandom) &&
          std::string_view(input.name) == "rng") {
        words_.inputs.push_back("rng=int64[2] on cpu");
        complete_ = false;
      }
      if (!input.list) tensors_.push_back(nullptr);
      return absl::OkStatus();
    }
    if (!input.list) return AddTensor(input.name, given);
    if (!IsSequence(given)) {
      return TypeError(input.name, "a list of tensors",
                       Py_TYPE(given)->tp_name);
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(given); ++i) {
      SY_RETURN_IF_ERROR(
          AddTensor(input.name, PySequence_Fast_GET_ITEM(given, i)));
    }
    return absl::OkStatus();
  }

  absl::Status AddTensor(const char* name, PyObject* object) {
    if (IsSymbol(object)) {
      const Held value(ValueOfSymbol(object));
      if (value.get() == nullptr) {
        return absl::InternalError("a symbol has no value");
      }
      return AddTensor(name, value.get());
    }
    std::string described;
    if (IsValue(object)) {
      described = SpecText(GetValue(object).type.spec());
    } else if (PyUnicode_Check(object)) {
      const char* text = PyUnicode_AsUTF8(object);
      described = text == nullptr ? "" : text;
      PyErr_Clear();
    } else if (!IsTensor(object)) {
      described = SpecWords(object);
    }
    if (!described.empty()) {
      complete_ = false;
      tensors_.push_back(nullptr);
      words_.inputs.push_back(absl::StrCat(name, "=", described));
      return absl::OkStatus();
    }
    if (IsTensor(object)) {
      made_.push_back(GetTensor(object));
    } else {
      SY_ASSIGN_OR_RETURN(
          DenseTensor tensor,
          OperandFromObject(name, object, like_.defined() ? &like_ : nullptr,
                            info_.promotion.integer_to_float));
      made_.emplace_back(std::move(tensor));
    }
    const eager::Tensor& tensor = made_.back();
    recorded_ |= tensor.requires_grad();
    tensors_.push_back(&tensor);
    words_.inputs.push_back(absl::StrCat(name, "=", WordsOf(tensor)));
    return absl::OkStatus();
  }

  absl::Status AddAttribute(const phi::AttrInfo& attr) {
    PyObject* given = Argument(attr.name);
    // None stands for the default.
    if (given == nullptr) return absl::OkStatus();
    if (attr.supplied) {
      SY_ASSIGN_OR_RETURN(const bool open, AddOpenAttribute(attr, given));
      if (open) return absl::OkStatus();
    }
    SY_ASSIGN_OR_RETURN(const AttrRef value,
                        storage_.Parse(attr.name, attr.type, given));
    words_.attrs.push_back(absl::StrCat(attr.name, "=", ToString(value)));
    return absl::OkStatus();
  }

  // Adds an attribute of which an element is not known; false if all are.
  absl::StatusOr<bool> AddOpenAttribute(const phi::AttrInfo& attr,
                                        PyObject* given) {
    const bool list = IsSequence(given);
    const Py_ssize_t count = list ? PySequence_Fast_GET_SIZE(given) : 1;
    std::vector<std::string> elements;
    bool open = false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = list ? PySequence_Fast_GET_ITEM(given, i) : given;
      open |= IsTraced(item) || PyUnicode_Check(item);
      if (!IsTraced(item)) {
        const Held text(PyObject_Str(item));
        const char* utf8 =
            text.get() == nullptr ? nullptr : PyUnicode_AsUTF8(text.get());
        elements.push_back(utf8 == nullptr ? "" : utf8);
        PyErr_Clear();
        continue;
      }
      const Held value(IsSymbol(item) ? ValueOfSymbol(item) : Py_NewRef(item));
      if (value.get() == nullptr) {
        return absl::InternalError("a symbol has no value");
      }
      const ValueObject& traced = GetValue(value.get());
      SY_RETURN_IF_ERROR(
          traced.graph->builder.CheckVisible(attr.name, traced.region));
      SY_ASSIGN_OR_RETURN(const std::vector<AttrValue> known,
                          static_graph::GetElements(attr, {traced.value}));
      for (AttrValue element : known) elements.push_back(ToString(element));
    }
    if (!open) return false;
    const bool takes_list =
        attr.type == AttrType::kInt64s || attr.type == AttrType::kFloats;
    const std::string text = absl::StrJoin(elements, ", ");
    words_.attrs.push_back(absl::StrCat(
        attr.name, "=", takes_list ? absl::StrCat("[", text, "]") : text));
    return true;
  }

  // Checks what the call would check before it writes.
  absl::Status CheckWritten() {
    words_.recorded =
        recorded_ && eager::CurrentGradMode() == eager::GradMode::kOn;
    if (!complete_ || !(op_.inplace || info_.has(phi::Trait::kInplaceOnly))) {
      return absl::OkStatus();
    }
    return eager::CheckInplace(op_, tensors_.view(), words_.recorded);
  }

  const eager::EagerOp& op_;
  const phi::OpInfo& info_;
  PyObject* arguments_;
  AttrStorage storage_;
  eager::Tensor like_;  // Undefined if there is none.
  std::deque<eager::Tensor> made_;
  phi::ArgBuffer<const eager::Tensor*> tensors_;  // Null where described only.
  bool complete_ = true;  // Each tensor is there, not only described.
  bool recorded_ = false;
  ExplainWords words_;
};

}  // namespace

absl::StatusOr<ExplainWords> MakeExplainWords(const eager::EagerOp& op,
                                              PyObject* arguments) {
  return Writer(op, arguments).Write();
}

}  // namespace switchyard::python
