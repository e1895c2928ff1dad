// SPDX-License-Identifier: Apache-2.0
#include "library/model.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "library/call.h"
#include "library/dtypes.h"
#include "library/handle_table.h"
#include "library/library_operators.h"
#include "library/options.h"

namespace switchyard::library {
namespace {

HandleTable<const Model>& Table() {
  static auto* const table = new HandleTable<const Model>(2, "model");
  return *table;
}

// Loads by `load(options)` and gives the model a handle.
template <typename Load>
absl::Status NewModel(switchyard_options handle, switchyard_model* model,
                      Load&& load) {
  SY_RETURN_IF_ERROR(CheckThere("model", model));
  SY_ASSIGN_OR_RETURN(const Options options, OptionsOf(handle));
  static_graph::LoadOptions load_options;
  load_options.weights = options.weights;
  load_options.relaxed = options.relaxed;
  load_options.strict_kernels = options.strict_kernels;
  MemoryMeter meter(options.memory_limit);
  std::shared_ptr<const Model> made;
  {
    const MeterScope metered(&meter);
    SY_ASSIGN_OR_RETURN(static_graph::LoadedModel loaded,
                        load(std::move(load_options)));
    made = std::make_shared<const Model>(std::move(loaded), meter);
  }
  SY_ASSIGN_OR_RETURN(*model, Table().Add(std::move(made)));
  return absl::OkStatus();
}

// Runs `read` on the model of a handle.
template <typename Read>
switchyard_status WithModel(const char* function, switchyard_model handle,
                            Read&& read) {
  return Call(function, [&]() -> absl::Status {
    SY_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                        ModelOf(handle));
    return read(*model);
  });
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Model>> ModelOf(switchyard_model handle) {
  return Table().Find(handle);
}

absl::StatusOr<const std::vector<static_graph::ProgramPlan::Port>*>
Model::Ports(switchyard_direction direction) const {
  if (direction == SWITCHYARD_INPUTS) return &program().feeds();
  if (direction == SWITCHYARD_OUTPUTS) return &program().fetches();
  return ArgumentError("direction", "SWITCHYARD_INPUTS or SWITCHYARD_OUTPUTS",
                       absl::StrCat(direction));
}

absl::StatusOr<size_t> Model::Find(switchyard_direction direction,
                                   const char* name) const {
  SY_RETURN_IF_ERROR(CheckThere("name", name));
  SY_ASSIGN_OR_RETURN(const auto* const ports, Ports(direction));
  for (size_t i = 0; i < ports->size(); ++i) {
    if ((*ports)[i].name == name) return i;
  }
  const auto add_name = [](std::string* out, const auto& port) {
    out->append(port.name);
  };
  return WithCode(
      SWITCHYARD_NOT_FOUND,
      ArgumentError(direction == SWITCHYARD_INPUTS ? "input" : "output",
                    absl::StrCat("of ", absl::StrJoin(*ports, ", ", add_name)),
                    absl::StrCat("'", name, "'")));
}

absl::StatusOr<const char*> Model::Explanation() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (explanation_.empty()) {
    std::vector<Shape> shapes;
    for (const auto& port : program().feeds()) {
      shapes.push_back(port.meta.shape);
    }
    SY_ASSIGN_OR_RETURN(
        explanation_,
        program().Explain(shapes, static_graph::ExplanationForm::kJson));
  }
  return explanation_.c_str();
}

}  // namespace switchyard::library

using switchyard::library::Call;
using switchyard::library::CheckCount;
using switchyard::library::CheckThere;
using switchyard::library::LibraryOperators;
using switchyard::library::Model;
using switchyard::library::NewModel;
using switchyard::library::NumberOf;
using switchyard::library::WithModel;
using switchyard::library::Write;
using switchyard::static_graph::LoadOptions;

switchyard_status switchyard_model_load(const char* path,
                                        switchyard_options options,
                                        switchyard_model* model) {
  return Call("model_load", [&]() -> absl::Status {
    SY_RETURN_IF_ERROR(CheckThere("path", path));
    return NewModel(options, model, [&](LoadOptions load_options) {
      return switchyard::static_graph::LoadModel(LibraryOperators(), path,
                                                 std::move(load_options));
    });
  });
}

switchyard_status switchyard_model_load_bytes(
    const void* program, size_t program_bytes, const void* weights,
    size_t weights_bytes, switchyard_options options, switchyard_model* model) {
  return Call("model_load_bytes", [&]() -> absl::Status {
    SY_RETURN_IF_ERROR(CheckThere("program", program));
    SY_RETURN_IF_ERROR(
        CheckCount("program_bytes", program_bytes, program, "program"));
    SY_RETURN_IF_ERROR(
        CheckCount("weights_bytes", weights_bytes, weights, "weights"));
    std::string text(static_cast<const char*>(program), program_bytes);
    return NewModel(options, model, [&](LoadOptions load_options) {
      return switchyard::static_graph::LoadModelFromBytes(
          LibraryOperators(), std::move(text),
          {static_cast<const char*>(weights), weights_bytes},
          std::move(load_options));
    });
  });
}

switchyard_status switchyard_model_free(switchyard_model model) {
  return Call("model_free", [&] {
    return switchyard::library::Table().Remove(model).status();
  });
}

switchyard_status switchyard_model_warning(switchyard_model model,
                                           const char** text) {
  return WithModel("model_warning", model, [&](const Model& read) {
    Write(read.loaded().warning.c_str(), text);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_model_count(switchyard_model model,
                                         switchyard_direction direction,
                                         size_t* count) {
  return WithModel("model_count", model, [&](const Model& read) {
    SY_ASSIGN_OR_RETURN(const auto* const ports, read.Ports(direction));
    Write(ports->size(), count);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_model_find(switchyard_model model,
                                        switchyard_direction direction,
                                        const char* name, size_t* position) {
  return WithModel("model_find", model, [&](const Model& read) {
    SY_ASSIGN_OR_RETURN(const size_t found, read.Find(direction, name));
    Write(found, position);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_model_port(switchyard_model model,
                                        switchyard_direction direction,
                                        size_t position, const char** name,
                                        switchyard_kind* kind,
                                        switchyard_dtype* dtype, int32_t* rank,
                                        int64_t* extents, int32_t* levels) {
  return WithModel("model_port", model, [&](const Model& read) {
    SY_ASSIGN_OR_RETURN(const auto* const ports, read.Ports(direction));
    if (position >= ports->size()) {
      return switchyard::RangeError("position",
                                    absl::StrCat("in [0, ", ports->size(), ")"),
                                    absl::StrCat(position));
    }
    const auto& port = (*ports)[position];
    const switchyard::Shape& shape = port.meta.shape;
    Write(port.name.c_str(), name);
    Write(NumberOf(port.meta.kind), kind);
    Write(NumberOf(port.meta.dtype), dtype);
    Write(shape.rank(), rank);
    Write(port.meta.lod_levels, levels);
    for (int axis = 0; extents != nullptr && axis < shape.rank(); ++axis) {
      extents[axis] = shape[axis].number();
    }
    return absl::OkStatus();
  });
}

switchyard_status switchyard_model_explain(switchyard_model model,
                                           const char** json) {
  return WithModel("model_explain", model, [&](const Model& read) {
    SY_ASSIGN_OR_RETURN(const char* const text, read.Explanation());
    Write(text, json);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_model_memory(switchyard_model model,
                                          uint64_t* bytes) {
  return WithModel("model_memory", model, [&](const Model& read) {
    Write(read.bytes(), bytes);
    return absl::OkStatus();
  });
}
