// SPDX-License-Identifier: Apache-2.0
// A library in the place of libnccl.so.2, for tests of the transport "nccl"
// over the driver of fake_driver.cc. A communicator is a socket between its two
// ranks, of threads or of processes. As NCCL's, sends and receives meet by
// their order alone, calls with blocking=0 are in progress for a while, and a
// group whose other end is gone never ends unless it is aborted.
//
// FAKE_NCCL_FAULT=KIND=CODE@N: of a communicator, "async" is the error after
// N groups, with "hang" no group after N ends, "init" is the error of its
// making; "version" is what the library says that it is.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kSystemError = 2, kInvalidArgument = 4, kInvalidUsage = 5,
              kRemoteError = 6, kInProgress = 7;

struct Id {
  char bytes[128];
};

// The beginning of the settings, as every version has it.
struct Config {
  size_t size;
  unsigned int magic;
  unsigned int version;
  int blocking;
};

// Returns the value of FAKE_NCCL_FAULT for a kind after a number of groups, or
// 0.
int Fault(const std::string& kind, int groups) {
  const char* const wanted = std::getenv("FAKE_NCCL_FAULT");
  if (wanted == nullptr) return 0;
  const std::string text = wanted;
  const size_t equals = text.find('='), at = text.find('@');
  if (text.substr(0, equals) != kind) return 0;
  const int after =
      at == std::string::npos ? 0 : std::stoi(text.substr(at + 1));
  return groups >= after ? std::stoi(text.substr(equals + 1)) : 0;
}

template <typename Function>
Function* OfDriver(const char* name) {
  return reinterpret_cast<Function*>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
}

struct Transfer {
  bool sends;
  char* data;
  uint64_t size;
  uint64_t moved = 0;  // With the 8 bytes of the size, which come first.
  uint64_t told = 0;   // The size that the other end says.
};

struct Comm {
  ~Comm() {
    if (fd >= 0) close(fd);
  }
  int rank = 0;
  std::atomic<int> fd{-1};
  std::atomic<int> error{0};
  std::atomic<bool> connected{false}, aborted{false};
  int groups = 0;
  int polls_left = 0;  // Of those that say that it is in progress.
  std::vector<Transfer> launching;
  void* stream = nullptr;
};

using Shared = std::shared_ptr<Comm>;

Shared& Of(void* comm) { return *static_cast<Shared*>(comm); }

void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

// Connects the two ends, which know a name.
void Connect(const Shared& comm, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // The abstract name space has no files.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int fd = -1;
  if (comm->rank == 0) {
    bind(made, plain, size);
    listen(made, 1);
    while (!comm->aborted &&
           (fd = accept4(made, nullptr, nullptr, SOCK_NONBLOCK)) < 0) {
      Pause();
    }
    close(made);
  } else {
    while (!comm->aborted && connect(made, plain, size) != 0) Pause();
    fd = made;
  }
  comm->fd = fd;
  comm->error = Fault("init", 0);
  comm->connected = true;
}

// Moves some bytes of a transfer; returns false where the other end is gone.
bool MoveSome(int fd, Transfer& each, std::atomic<int>& error) {
  const bool in_size = each.moved < 8;
  if (each.sends) each.told = each.size;
  char* const place = in_size ? reinterpret_cast<char*>(&each.told) + each.moved
                              : each.data + (each.moved - 8);
  const uint64_t left = (in_size ? 8 : each.size + 8) - each.moved;
  const ssize_t moved = each.sends ? send(fd, place, left, MSG_NOSIGNAL)
                                   : recv(fd, place, left, 0);
  if (moved > 0) {
    each.moved += static_cast<uint64_t>(moved);
    if (each.moved == 8 && each.told != each.size) error = kInvalidUsage;
    return true;
  }
  return moved < 0 && (errno == EAGAIN || errno == EINTR);
}

struct Group {
  Shared comm;
  std::vector<Transfer> transfers;
  bool hangs;
};

// Work of a stream: both directions at once, each in its order.
void RunGroup(void* data) {
  const std::unique_ptr<Group> group(static_cast<Group*>(data));
  Comm& comm = *group->comm;
  while (!comm.aborted) {
    bool busy = group->hangs || comm.error != 0;
    for (const bool sends : {true, false}) {
      for (Transfer& each : group->transfers) {
        if (each.sends != sends || each.moved == each.size + 8) continue;
        busy = true;
        if (group->hangs || comm.error != 0) break;
        if (!MoveSome(comm.fd, each, comm.error)) comm.error = kRemoteError;
        break;
      }
    }
    if (!busy) return;
    pollfd polled = {comm.fd, POLLIN, 0};
    poll(&polled, 1, 0);
    std::this_thread::yield();
    if (group->hangs || comm.error != 0) Pause();
  }
}

// The group of this thread.
thread_local int depth = 0;
thread_local std::vector<std::pair<Shared, Transfer>> grouped;
thread_local void* grouped_stream = nullptr;

int Add(bool sends, void* data, size_t count, int type, int peer, void* comm,
        void* stream) {
  using Translate = void*(unsigned long long, size_t);
  void* const memory = OfDriver<Translate>("FakeDeviceMemory")(
      reinterpret_cast<unsigned long long>(data), count);
  const Shared& own = Of(comm);
  if (memory == nullptr || type != 1 || peer != 1 - own->rank) {
    return kInvalidArgument;
  }
  if (depth == 0 || !own->connected || own->polls_left > 0) {
    return kInvalidUsage;
  }
  grouped.push_back({own, {sends, static_cast<char*>(memory), count}});
  grouped_stream = stream;
  return 0;
}

// Gives a group that was in progress to its stream.
int Launch(const Shared& comm) {
  if (comm->launching.empty()) return 0;
  using LaunchHost = int(void*, void (*)(void*), void*);
  const bool hangs = Fault("hang", comm->groups) != 0;
  ++comm->groups;
  auto* const group = new Group{comm, std::move(comm->launching), hangs};
  comm->launching.clear();
  return OfDriver<LaunchHost>("cuLaunchHostFunc")(comm->stream, &RunGroup,
                                                  group);
}

}  // namespace

extern "C" int ncclGetVersion(int* version) {
  const int wanted = Fault("version", 0);
  *version = wanted != 0 ? wanted : 22304;
  return 0;
}

extern "C" int ncclGetUniqueId(Id* id) {
  std::random_device random;
  const std::string name = "switchyard-fake-nccl-" + std::to_string(getpid()) +
                           "-" + std::to_string(random()) +
                           std::to_string(random());
  std::memset(id, 0, sizeof(Id));
  std::memcpy(id->bytes, name.data(), name.size());
  return 0;
}

extern "C" int ncclCommInitRankConfig(void** comm, int size, Id id, int rank,
                                      Config* config) {
  if (config->magic != 0xcafebeef || config->size < sizeof(Config) ||
      config->version < 21400 || config->blocking != 0 || size != 2 ||
      rank < 0 || rank > 1) {
    return kInvalidArgument;
  }
  auto* const made = new Shared(std::make_shared<Comm>());
  (*made)->rank = rank;
  *comm = made;
  std::thread(&Connect, *made, std::string(id.bytes)).detach();
  return kInProgress;
}

extern "C" int ncclCommGetAsyncError(void* comm, int* result) {
  const Shared& own = Of(comm);
  *result = kInProgress;
  if (!own->connected || own->polls_left-- > 0) return 0;
  own->polls_left = 0;
  if (Launch(own) != 0) own->error = kSystemError;
  const int fault = own->groups > 0 ? Fault("async", own->groups) : 0;
  *result = fault != 0 ? fault : own->error.load();
  return 0;
}

extern "C" int ncclCommAbort(void* comm) {
  Shared* const own = static_cast<Shared*>(comm);
  (*own)->aborted = true;
  if ((*own)->fd >= 0) shutdown((*own)->fd, SHUT_RDWR);
  delete own;
  return 0;
}

extern "C" int ncclSend(const void* data, size_t count, int type, int peer,
                        void* comm, void* stream) {
  return Add(true, const_cast<void*>(data), count, type, peer, comm, stream);
}

extern "C" int ncclRecv(void* data, size_t count, int type, int peer,
                        void* comm, void* stream) {
  return Add(false, data, count, type, peer, comm, stream);
}

extern "C" int ncclGroupStart() {
  ++depth;
  return 0;
}

extern "C" int ncclGroupEnd() {
  if (--depth > 0) return 0;
  for (auto& [comm, transfer] : grouped) {
    comm->launching.push_back(transfer);
    comm->stream = grouped_stream;
    comm->polls_left = 2;
  }
  const bool any = !grouped.empty();
  grouped.clear();
  return any ? kInProgress : 0;
}

extern "C" const char* ncclGetErrorString(int result) {
  switch (result) {
    case kSystemError:
      return "unhandled system error";
    case kInvalidArgument:
      return "invalid argument";
    case kInvalidUsage:
      return "invalid usage";
    case kRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "unknown result code";
  }
}

extern "C" const char* ncclGetLastError(void*) { return "a fake says so"; }
