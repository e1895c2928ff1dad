// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/tcp_transport.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace switchyard::collective {
namespace {

// A frame that claims more than this was not written by a rank.
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

// Precedes each message.
struct Frame {
  uint32_t tag;
  uint32_t unused;
  uint64_t size;
};

struct Request {
  int peer;
  Frame frame;
  char* data;
  bool receives;
  bool done = false;
  std::string error;
};

// A message that came before its irecv().
struct Early {
  Frame frame;
  std::unique_ptr<char[]> bytes;
};

struct Peer {
  int socket = -1;
  std::string failure;  // Empty while the connection is there.

  std::deque<Request*> sends;  // The first is on its way.
  uint64_t sent = 0;           // Bytes of the first one, frame included.

  std::list<Request*> receives;
  std::list<Early> early;
  // The message that arrives: its frame's bytes first.
  Frame frame;
  size_t frame_bytes = 0;
  Request* target = nullptr;  // Null: `arriving` if that is set.
  std::unique_ptr<char[]> arriving;
  uint64_t arrived = 0;
};

// Fails all that waits for a peer that is gone.
void Fail(Peer& peer, const std::string& why) {
  peer.failure = why;
  for (Request* each : peer.sends) each->error = why;
  for (Request* each : peer.receives) each->error = why;
  if (peer.target != nullptr) peer.target->error = why;
  peer.sends.clear();
  peer.receives.clear();
  peer.target = nullptr;
}

std::string TextOfError(int error) {
  if (error == EPIPE || error == ECONNRESET) return "closed the connection";
  return std::string("lost its connection (") + std::strerror(error) + ")";
}

bool IsBusy(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

void Write(Peer& peer) {
  while (peer.failure.empty() && !peer.sends.empty()) {
    Request& first = *peer.sends.front();
    iovec parts[2];
    int count = 0;
    const uint64_t head = std::min<uint64_t>(peer.sent, sizeof(Frame));
    if (head < sizeof(Frame)) {
      parts[count++] = {reinterpret_cast<char*>(&first.frame) + head,
                        sizeof(Frame) - head};
    }
    const uint64_t body = peer.sent - head;
    if (body < first.frame.size) {
      parts[count++] = {first.data + body, first.frame.size - body};
    }
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = static_cast<size_t>(count);
    const ssize_t wrote = sendmsg(peer.socket, &message, MSG_NOSIGNAL);
    if (wrote < 0) {
      if (!IsBusy(errno)) {
        // Messages that it sent before it left are still to be read.
        const std::string why = TextOfError(errno);
        for (Request* each : peer.sends) each->error = why;
        peer.sends.clear();
      }
      return;
    }
    peer.sent += static_cast<uint64_t>(wrote);
    if (peer.sent == sizeof(Frame) + first.frame.size) {
      first.done = true;
      peer.sends.pop_front();
      peer.sent = 0;
    }
  }
}

// Finds who waits for the message of which the frame is there.
void Begin(Peer& peer) {
  const auto waits =
      std::find_if(peer.receives.begin(), peer.receives.end(),
                   [&](Request* r) { return r->frame.tag == peer.frame.tag; });
  if (peer.frame.size > kMostBytes) {
    Fail(peer, "sent a message of a size that can't be");
    return;
  }
  if (waits == peer.receives.end()) {
    peer.arriving.reset(new (std::nothrow) char[peer.frame.size + 1]);
    if (peer.arriving == nullptr) {
      Fail(peer, "sent a message for which there is no memory");
    }
    return;
  }
  if ((*waits)->frame.size != peer.frame.size) {
    Fail(peer, "sent a message of another size");
    return;
  }
  peer.target = *waits;
  peer.receives.erase(waits);
}

void End(Peer& peer) {
  if (peer.target != nullptr) {
    peer.target->done = true;
    peer.target = nullptr;
  } else {
    peer.early.push_back({peer.frame, std::move(peer.arriving)});
  }
  peer.frame_bytes = 0;
  peer.arrived = 0;
}

// Reads until `wanted_by` is done or nothing more is there. What comes after it
// stays in the socket: its receiver may be about to ask, and spares a copy.
void Read(Peer& peer, const Request& wanted_by) {
  while (peer.failure.empty() && !wanted_by.done) {
    const bool in_frame = peer.frame_bytes < sizeof(Frame);
    char* place = reinterpret_cast<char*>(&peer.frame) + peer.frame_bytes;
    size_t wanted = sizeof(Frame) - peer.frame_bytes;
    if (!in_frame) {
      char* const whole =
          peer.target != nullptr ? peer.target->data : peer.arriving.get();
      place = whole + peer.arrived;
      wanted = peer.frame.size - peer.arrived;
    }
    const ssize_t got = recv(peer.socket, place, wanted, 0);
    if (got < 0) {
      if (!IsBusy(errno)) Fail(peer, TextOfError(errno));
      return;
    }
    if (got == 0) {
      Fail(peer, "closed the connection");
      return;
    }
    if (!in_frame) {
      peer.arrived += static_cast<size_t>(got);
    } else {
      peer.frame_bytes += static_cast<size_t>(got);
      if (peer.frame_bytes < sizeof(Frame)) continue;
      Begin(peer);
      if (!peer.failure.empty()) return;
    }
    if (peer.arrived == peer.frame.size) End(peer);
  }
}

class Link {
 public:
  explicit Link(const std::vector<int>& sockets) : peers_(sockets.size()) {
    for (size_t i = 0; i < sockets.size(); ++i) {
      peers_[i].socket = sockets[i];
      if (sockets[i] < 0) continue;
      const int flags = fcntl(sockets[i], F_GETFL, 0);
      fcntl(sockets[i], F_SETFL, flags | O_NONBLOCK);
    }
  }
  ~Link() {
    for (Peer& peer : peers_) {
      if (peer.socket < 0) continue;
      // Its last messages arrive, even if some of ours were not read.
      shutdown(peer.socket, SHUT_WR);
      close(peer.socket);
    }
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  Peer& peer(int number) { return peers_[static_cast<size_t>(number)]; }

  void Wait(int microseconds) {
    std::vector<pollfd> polled;
    for (const Peer& peer : peers_) {
      if (peer.socket < 0 || !peer.failure.empty()) continue;
      const bool writes = !peer.sends.empty();
      polled.push_back({peer.socket,
                        static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN),
                        0});
    }
    const timespec time = {0, microseconds * 1000L};
    ppoll(polled.data(), polled.size(), &time, nullptr);
  }

 private:
  std::vector<Peer> peers_;
};

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  return new Link(*static_cast<const std::vector<int>*>(options.medium));
}

absl::StatusOr<void*> ISend(void* link, int number, uint32_t tag,
                            const void* data, size_t size) {
  Peer& peer = static_cast<Link*>(link)->peer(number);
  if (!peer.failure.empty()) return absl::UnavailableError(peer.failure);
  auto request = std::make_unique<Request>(
      Request{number,
              {tag, 0, size},
              const_cast<char*>(static_cast<const char*>(data)),
              false,
              false,
              {}});
  peer.sends.push_back(request.get());
  Write(peer);
  return request.release();
}

absl::StatusOr<void*> IRecv(void* link, int number, uint32_t tag, void* data,
                            size_t size) {
  Peer& peer = static_cast<Link*>(link)->peer(number);
  auto request = std::make_unique<Request>(Request{
      number, {tag, 0, size}, static_cast<char*>(data), true, false, {}});
  const auto early =
      std::find_if(peer.early.begin(), peer.early.end(),
                   [&](const Early& e) { return e.frame.tag == tag; });
  if (early != peer.early.end()) {
    if (early->frame.size != size) {
      return absl::InternalError("sent a message of another size");
    }
    if (size > 0) std::memcpy(data, early->bytes.get(), size);
    peer.early.erase(early);
    request->done = true;
    return request.release();
  }
  const bool arrives = peer.arriving != nullptr && peer.target == nullptr &&
                       peer.frame_bytes == sizeof(Frame) &&
                       peer.frame.tag == tag;
  if (arrives && peer.frame.size != size) {
    return absl::InternalError("sent a message of another size");
  }
  if (arrives) {
    // The rest of it goes where it belongs.
    if (peer.arrived > 0) {
      std::memcpy(data, peer.arriving.get(), peer.arrived);
    }
    peer.arriving.reset();
    peer.target = request.get();
  } else if (!peer.failure.empty()) {
    return absl::UnavailableError(peer.failure);
  } else {
    peer.receives.push_back(request.get());
  }
  return request.release();
}

absl::StatusOr<bool> Test(void* link, void* handle) {
  Request* const request = static_cast<Request*>(handle);
  Peer& peer = static_cast<Link*>(link)->peer(request->peer);
  if (!request->done && request->error.empty()) {
    Write(peer);
    Read(peer, *request);
  }
  if (!request->done && request->error.empty()) return false;
  const std::unique_ptr<Request> ended(request);
  if (ended->done) return true;
  return absl::UnavailableError(ended->error);
}

void Cancel(void* link, void* handle) {
  const std::unique_ptr<Request> request(static_cast<Request*>(handle));
  if (request->done || !request->error.empty()) return;
  Peer& peer = static_cast<Link*>(link)->peer(request->peer);
  const bool half_sent = !peer.sends.empty() &&
                         peer.sends.front() == request.get() && peer.sent > 0;
  if (half_sent || peer.target == request.get()) {
    // The rest of the stream has no meaning any more.
    Fail(peer, "was given up in the middle of a message");
    return;
  }
  peer.receives.remove(request.get());
  peer.sends.erase(
      std::remove(peer.sends.begin(), peer.sends.end(), request.get()),
      peer.sends.end());
}

void Wait(void* link, int microseconds) {
  static_cast<Link*>(link)->Wait(microseconds);
}

void Close(void* link, bool failed) {
  (void)failed;
  delete static_cast<Link*>(link);
}

}  // namespace

const TransportInfo kTcpTransport = {
    "tcp", nullptr, &Connect, &ISend, &IRecv,
    &Test, &Cancel, &Wait,    &Close, nullptr,
};

}  // namespace switchyard::collective
