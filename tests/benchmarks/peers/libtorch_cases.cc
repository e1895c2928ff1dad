// SPDX-License-Identifier: Apache-2.0
// The cases in C++, for PyTorch; bench.py compiles it against the peers' torch.
// It answers as worker.py does: a line is `{"case": "add", "seconds": 0.05}`.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>

namespace {

at::Tensor One(bool grad) { return at::ones({1}).requires_grad_(grad); }

std::map<std::string, std::function<void()>> Cases() {
  const at::Tensor x = One(false), y = One(false);
  const at::Tensor p = One(true), q = One(true);
  return {
      {"add",
       [=] {
         const at::NoGradGuard no_grad;
         at::add(x, y);
       }},
      {"relu",
       [=] {
         const at::NoGradGuard no_grad;
         at::relu(x);
       }},
      {"add_recording", [=] { at::add(p, q); }},
      {"chain",
       [=] {
         at::Tensor z = p;
         for (int i = 0; i < 100; ++i) z = at::add(z, x);
         z.backward();
         p.mutable_grad().reset();
       }},
  };
}

double Nanoseconds(const std::function<void()>& body, double seconds) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < 100; ++i) body();
  const auto begin = Clock::now();
  int64_t count = 0;
  std::chrono::duration<double> spent{0};
  do {
    for (int i = 0; i < 100; ++i) body();
    count += 100;
    spent = Clock::now() - begin;
  } while (spent.count() < seconds);
  return spent.count() * 1e9 / static_cast<double>(count);
}

std::string Field(const std::string& line, const std::string& key) {
  const size_t at = line.find("\"" + key + "\": ");
  if (at == std::string::npos) return "";
  const size_t begin = line.find_first_not_of("\": ", at + key.size() + 2);
  return line.substr(begin, line.find_first_of("\",}", begin) - begin);
}

}  // namespace

int main() {
  at::set_num_threads(1);
  const auto cases = Cases();
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto found = cases.find(Field(line, "case"));
    if (found == cases.end()) {
      std::puts("{\"missing\": \"no such case\"}");
    } else {
      std::printf(
          "{\"ns\": %.3f}\n",
          Nanoseconds(found->second, std::stod(Field(line, "seconds"))));
    }
    std::fflush(stdout);
  }
}
