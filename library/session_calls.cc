// SPDX-License-Identifier: Apache-2.0
// The functions switchyard_session_...: handles and pointers are checked here,
// the work is Session's.
#include <utility>

#include "absl/strings/str_cat.h"
#include "library/call.h"
#include "library/dtypes.h"
#include "library/handle_table.h"
#include "library/session.h"

namespace switchyard::library {
namespace {

HandleTable<Session>& Table() {
  static auto* const table = new HandleTable<Session>(3, "session");
  return *table;
}

// Runs `work` on the session of a handle, which no other thread may have.
template <typename Work>
switchyard_status WithSession(const char* function, switchyard_session handle,
                              Work&& work) {
  return Call(function, [&]() -> absl::Status {
    SY_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                        Table().Find(handle));
    const Session::Use use(session.get());
    if (!use.held()) {
      return WithCode(SWITCHYARD_BUSY,
                      ArgumentError("session", "used by one thread at a time",
                                    "a call while another thread is in one"));
    }
    return work(session.get());
  });
}

// A piece of the host's memory, as a function gets it.
struct Given {
  switchyard_dtype dtype;
  int32_t rank;
  const int64_t* extents;
  const int64_t* byte_strides;
  const void* data;
  size_t bytes;
};

absl::StatusOr<CallerBuffer> BufferOf(const char* name, const Given& given) {
  SY_RETURN_IF_ERROR(CheckThere("name", name));
  const auto make = [&]() -> absl::StatusOr<CallerBuffer> {
    SY_ASSIGN_OR_RETURN(const DataType dtype, ElementDataType(given.dtype));
    return MakeCallerBuffer(dtype, given.rank, given.extents,
                            given.byte_strides, given.data, given.bytes);
  };
  absl::StatusOr<CallerBuffer> made = make();
  if (made.ok()) return made;
  return Annotate(made.status(), absl::StrCat("'", name, "'"));
}

// Does so for an output, which may have any shape.
absl::StatusOr<CallerBuffer> OutputBufferOf(const char* name,
                                            const Given& given) {
  if (given.rank != -1) return BufferOf(name, given);
  SY_RETURN_IF_ERROR(CheckThere("name", name));
  CallerBuffer buffer;
  SY_ASSIGN_OR_RETURN(buffer.dtype, ElementDataType(given.dtype));
  if (given.extents != nullptr || given.byte_strides != nullptr) {
    return ArgumentError("extents and byte_strides", "null with a rank of -1",
                         "a pointer");
  }
  SY_RETURN_IF_ERROR(CheckCount("bytes", given.bytes, given.data, "data"));
  buffer.any_shape = true;
  buffer.data = static_cast<char*>(const_cast<void*>(given.data));
  buffer.bytes = buffer.used = given.bytes;
  return buffer;
}

// The shape of `count` texts.
absl::StatusOr<Shape> ShapeOfTexts(int32_t rank, const int64_t* extents,
                                   const char* const* texts, size_t count) {
  if (rank < 0 || rank > SWITCHYARD_MAX_RANK) {
    return ArgumentError("rank",
                         absl::StrCat("in [0, ", +SWITCHYARD_MAX_RANK, "]"),
                         absl::StrCat(rank));
  }
  if (rank > 0) SY_RETURN_IF_ERROR(CheckThere("extents", extents));
  SY_RETURN_IF_ERROR(CheckCount("count", count, texts, "texts"));
  SY_ASSIGN_OR_RETURN(Shape shape,
                      Shape::Make(absl::MakeConstSpan(extents, rank)));
  if (shape.numel() != static_cast<int64_t>(count)) {
    return ArgumentError("count",
                         absl::StrCat(shape.numel(), " for ", ToString(shape)),
                         absl::StrCat(count));
  }
  return shape;
}

}  // namespace
}  // namespace switchyard::library

using switchyard::library::BufferOf;
using switchyard::library::Call;
using switchyard::library::CallerBuffer;
using switchyard::library::CheckCount;
using switchyard::library::CheckThere;
using switchyard::library::NumberOf;
using switchyard::library::Session;
using switchyard::library::SessionOutputs;
using switchyard::library::WithSession;
using switchyard::library::Write;

switchyard_status switchyard_session_new(switchyard_model model,
                                         switchyard_options options,
                                         switchyard_session* session) {
  return Call("session_new", [&]() -> absl::Status {
    SY_RETURN_IF_ERROR(CheckThere("session", session));
    SY_ASSIGN_OR_RETURN(auto of, switchyard::library::ModelOf(model));
    SY_ASSIGN_OR_RETURN(const auto set,
                        switchyard::library::OptionsOf(options));
    auto made = std::make_shared<Session>(std::move(of), set);
    {
      const Session::Use use(made.get());
      SY_RETURN_IF_ERROR(made->Reset());
    }
    SY_ASSIGN_OR_RETURN(*session,
                        switchyard::library::Table().Add(std::move(made)));
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_free(switchyard_session session) {
  return Call("session_free", [&] {
    return switchyard::library::Table().Remove(session).status();
  });
}

switchyard_status switchyard_session_reset(switchyard_session session) {
  return WithSession("session_reset", session,
                     [&](Session* with) { return with->Reset(); });
}

switchyard_status switchyard_session_set_input(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    const void* data, size_t bytes) {
  return WithSession("session_set_input", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(
        const CallerBuffer buffer,
        BufferOf(name, {dtype, rank, extents, byte_strides, data, bytes}));
    return with->inputs().SetBuffer(name, buffer, with->outputs());
  });
}

switchyard_status switchyard_session_add_item(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    const void* data, size_t bytes) {
  return WithSession("session_add_item", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(
        const CallerBuffer buffer,
        BufferOf(name, {dtype, rank, extents, byte_strides, data, bytes}));
    return with->inputs().AddItem(name, buffer);
  });
}

switchyard_status switchyard_session_set_texts(switchyard_session session,
                                               const char* name, int32_t rank,
                                               const int64_t* extents,
                                               const char* const* texts,
                                               const size_t* sizes,
                                               size_t count) {
  return WithSession("session_set_texts", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(
        const switchyard::Shape shape,
        switchyard::library::ShapeOfTexts(rank, extents, texts, count));
    return with->inputs().SetTexts(name, shape, texts, sizes);
  });
}

switchyard_status switchyard_session_set_lengths(switchyard_session session,
                                                 const char* name,
                                                 int32_t level,
                                                 const int64_t* lengths,
                                                 size_t count) {
  return WithSession("session_set_lengths", session, [&](Session* with) {
    SY_RETURN_IF_ERROR(CheckCount("count", count, lengths, "lengths"));
    return with->inputs().SetLengths(name, level, {lengths, count});
  });
}

switchyard_status switchyard_session_set_output(
    switchyard_session session, const char* name, switchyard_dtype dtype,
    int32_t rank, const int64_t* extents, const int64_t* byte_strides,
    void* data, size_t bytes) {
  return WithSession("session_set_output", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(
        const CallerBuffer buffer,
        switchyard::library::OutputBufferOf(
            name, {dtype, rank, extents, byte_strides, data, bytes}));
    return with->outputs().SetBuffer(name, buffer, with->inputs());
  });
}

switchyard_status switchyard_session_clear(switchyard_session session) {
  return WithSession("session_clear", session, [&](Session* with) {
    with->Clear();
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_run(switchyard_session session) {
  return WithSession("session_run", session,
                     [&](Session* with) { return with->Run(); });
}

switchyard_status switchyard_session_items(switchyard_session session,
                                           const char* name, size_t* count) {
  return WithSession("session_items", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const size_t items, with->outputs().Items(name));
    Write(items, count);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_output(switchyard_session session,
                                            const char* name, size_t item,
                                            switchyard_dtype* dtype,
                                            int32_t* rank, int64_t* extents,
                                            const void** data, size_t* bytes) {
  return WithSession("session_output", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const SessionOutputs::Item found,
                        with->outputs().Read(name, item));
    Write(NumberOf(found.dtype), dtype);
    Write(found.shape.rank(), rank);
    for (int i = 0; extents != nullptr && i < found.shape.rank(); ++i) {
      extents[i] = found.shape.extent(i);
    }
    Write(found.data, data);
    Write(found.bytes, bytes);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_text(switchyard_session session,
                                          const char* name, size_t position,
                                          const char** text, size_t* bytes) {
  return WithSession("session_text", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const std::string* const found,
                        with->outputs().Text(name, position));
    Write(found->c_str(), text);
    Write(found->size(), bytes);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_lengths(switchyard_session session,
                                             const char* name, int32_t level,
                                             const int64_t** lengths,
                                             size_t* count) {
  return WithSession("session_lengths", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const auto found, with->outputs().Lengths(name, level));
    Write(found.data(), lengths);
    Write(found.size(), count);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_profile(switchyard_session session,
                                             const char** json) {
  return WithSession("session_profile", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const char* const text, with->Profile());
    Write(text, json);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_explain(switchyard_session session,
                                             const char** json) {
  return WithSession("session_explain", session, [&](Session* with) {
    SY_ASSIGN_OR_RETURN(const char* const text, with->Explanation());
    Write(text, json);
    return absl::OkStatus();
  });
}

switchyard_status switchyard_session_memory(switchyard_session session,
                                            uint64_t* bytes, uint64_t* peak) {
  return WithSession("session_memory", session, [&](Session* with) {
    Write(with->meter().bytes(), bytes);
    Write(with->meter().peak(), peak);
    return absl::OkStatus();
  });
}
