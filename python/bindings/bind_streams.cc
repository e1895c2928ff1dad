// SPDX-License-Identifier: Apache-2.0
// The part of switchyard._core that waits: streams and events of devices.
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "framework/device/stream.h"
#include "python/bindings/bind.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"

namespace switchyard::python {
namespace {

namespace py = pybind11;

// Calls `wait`, which returns a status, while other Python threads run.
template <typename Wait>
void WaitWithoutGil(Wait wait) {
  absl::Status status;
  {
    const ReleasedGil released;
    status = wait();
  }
  ThrowIfError(status);
}

Place PlaceOf(const char* argument, const py::object& object) {
  return ValueOrThrow(PlaceFromObject(argument, object.ptr()));
}

struct PyEvent {
  RefPtr<Event> event;

  bool Query() const { return event->reached(); }
  void Synchronize() const {
    WaitWithoutGil([this] { return event->Wait(); });
  }
};

class PyStream {
 public:
  explicit PyStream(const py::object& place)
      : stream_(ValueOrThrow(Stream::Make(PlaceOf("Stream: place", place)))) {}
  explicit PyStream(RefPtr<Stream> stream) : stream_(std::move(stream)) {}

  std::string place() const { return ToString(stream_->place()); }
  void Enter() {
    before_.push_back(SetCurrentStream(stream_->place(), stream_));
  }
  void Exit() {
    if (before_.empty()) return;
    SetCurrentStream(stream_->place(), std::move(before_.back()));
    before_.pop_back();
  }
  PyEvent Record() const { return {ValueOrThrow(stream_->Record())}; }
  void WaitEvent(const PyEvent& event) const {
    WaitWithoutGil([&] { return stream_->Wait(*event.event); });
  }
  void WaitStream(const PyStream& other) const { WaitEvent(other.Record()); }
  void Synchronize() const {
    WaitWithoutGil([this] { return stream_->Synchronize(); });
  }
  bool operator==(const PyStream& other) const {
    return stream_ == other.stream_;
  }

 private:
  RefPtr<Stream> stream_;
  std::vector<RefPtr<Stream>> before_;  // Of the blocks that are entered.
};

PyStream CurrentStream(const py::object& object) {
  const Place place = PlaceOf("current_stream: place", object);
  return PyStream(RefPtr<Stream>::Share(ValueOrThrow(Stream::Current(place))));
}

void SynchronizePlace(const py::object& object) {
  const Place place = PlaceOf("synchronize: place", object);
  WaitWithoutGil([place] { return Synchronize(place); });
}

}  // namespace

void BindStreams(py::module_& module) {
  py::class_<PyEvent>(module, "Event",
                      "The end of what a stream had been given when record() "
                      "was called.")
      .def("query", &PyEvent::Query, "True if that work is done.")
      .def("synchronize", &PyEvent::Synchronize,
           "Waits for that work; raises its error.");
  py::class_<PyStream>(
      module, "Stream",
      "A queue of work of a device, beside others. Inside of `with stream:` "
      "the calls of this thread on its place give their work to it. What "
      "reads a tensor waits for the work that writes it, on any stream.")
      .def(py::init<const py::object&>(), py::arg("place"))
      .def_property_readonly("place", &PyStream::place)
      .def("__enter__",
           [](const py::object& self) {
             self.cast<PyStream&>().Enter();
             return self;
           })
      .def("__exit__", [](PyStream& self, const py::args&) { self.Exit(); })
      .def("__eq__", &PyStream::operator==, py::is_operator())
      .def("record", &PyStream::Record,
           "An event after all that the stream has been given by now.")
      .def("wait", &PyStream::WaitEvent, py::arg("event"),
           "Lets later work of the stream wait for an event.")
      .def("wait", &PyStream::WaitStream, py::arg("stream"),
           "Lets it wait for all that another stream has been given by now.")
      .def("synchronize", &PyStream::Synchronize,
           "Waits for all that the stream has been given, and raises the first "
           "error of it that was not raised yet.");
  module.def("current_stream", &CurrentStream, py::arg("place"),
             "The stream that this thread gives work for a place to.");
  module.def("synchronize", &SynchronizePlace, py::arg("place"),
             "Waits for all work that this thread has given to a device, and "
             "raises the first error of it that was not raised yet.");
}

}  // namespace switchyard::python
