// SPDX-License-Identifier: Apache-2.0
// Selection gives one answer whatever the order in which kernels were
// registered and calls are made: 10,000 random orders of the real table's
// kernels, those of plugins among them, each with calls of the samples in
// random order. (python/tests/plugin_orders_test.py loads plugins in all
// orders.)
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/capi/load_plugin.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/core/signatures/every_operator.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/selection.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using phi::KernelDef;
using phi::KernelTable;
using phi::selection::ParsedCall;
using phi::selection::Policy;

constexpr int kOrders = 10000;
constexpr int kWholeTables = 50;  // The orders of the whole table.
constexpr int kCalls = 8;         // Of one order.

// An answer of selection: the kernel and how many transforms it needs, or the
// error.
struct Answer {
  const KernelDef* kernel = nullptr;
  size_t transforms = 0;
  absl::StatusCode code = absl::StatusCode::kOk;

  friend bool operator==(const Answer& a, const Answer& b) {
    return a.kernel == b.kernel && a.transforms == b.transforms &&
           a.code == b.code;
  }
};

struct Question {
  std::string op;
  std::string text;
  std::unique_ptr<ParsedCall> call;
  phi::selection::Query query;
  Policy policy;
  Answer answer;
};

Answer Ask(const Question& question, const KernelTable& table) {
  const phi::OpKernels* const kernels = table.Find(question.op);
  if (kernels == nullptr) return {nullptr, 0, absl::StatusCode::kNotFound};
  const auto selection =
      phi::selection::Select(*kernels, question.query, question.policy);
  if (!selection.ok()) return {nullptr, 0, selection.status().code()};
  return {selection->kernel,
          selection->transforms.size() + selection->output_transforms.size()};
}

// A question for each sample of an operator with kernels and each policy.
std::vector<Question> Questions(const std::vector<SampleCall>& samples) {
  const KernelTable& table = phi::KernelTables::Current();
  std::vector<Question> questions;
  for (const SampleCall& sample : samples) {
    if (!sample.valid || table.Find(sample.op->name) == nullptr) continue;
    for (const char* text : {"default", "backend=cpu", "origin=fluid",
                             "backend=default,backend=reference,thread_variant",
                             "declined=onednn"}) {
      auto call = phi::selection::ParseCall(*sample.op, sample.inputs,
                                            sample.attrs, Place::Cpu());
      if (!call.ok()) continue;
      Question question;
      question.op = sample.op->name;
      question.text = sample.text + " under " + text;
      question.call = std::make_unique<ParsedCall>(*std::move(call));
      const auto query = question.call->MakeQuery(Place::Cpu());
      if (!query.ok()) continue;
      question.query = *query;
      question.policy = *phi::selection::ParsePolicy(text, table);
      question.answer = Ask(question, table);
      questions.push_back(std::move(question));
    }
  }
  return questions;
}

TEST(SelectionOrders, TenThousandOfThemGiveOneAnswer) {
  for (const char* plugin : {"sample", "throwing"}) {
    ASSERT_THAT(phi::capi::LoadPlugin(
                    std::string("phi/capi/testdata/") + plugin + ".so",
                    phi::AllOpInfos()),
                IsOk());
  }
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  const std::vector<Question> questions = Questions(*samples);
  if (OnlyOperators() != nullptr && questions.empty()) return;
  std::set<const KernelDef*> chosen;
  for (const Question& question : questions) {
    chosen.insert(question.answer.kernel);
  }
  std::vector<const KernelDef*> every;
  std::map<std::string, std::vector<const KernelDef*>> by_op;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    every.insert(every.end(), row->kernels.begin(), row->kernels.end());
    by_op[row->op].assign(row->kernels.begin(), row->kernels.end());
  }
  std::mt19937 random(2026);
  for (int order = 0; order < kOrders; ++order) {
    std::vector<const Question*> asked;
    std::set<std::string> ops;
    for (int i = 0; i < kCalls; ++i) {
      asked.push_back(&questions[random() % questions.size()]);
      ops.insert(asked.back()->op);
    }
    // The operators of the calls alone, unless it is one of the whole table:
    // others can't matter, and would take most of the time.
    std::vector<const KernelDef*> kernels;
    if (order % (kOrders / kWholeTables) == 0) {
      kernels = every;
    } else {
      for (const std::string& op : ops) {
        kernels.insert(kernels.end(), by_op[op].begin(), by_op[op].end());
      }
    }
    std::shuffle(kernels.begin(), kernels.end(), random);
    const auto table = phi::MakeKernelTable(kernels);
    ASSERT_THAT(table, IsOk());
    for (const Question* question : asked) {
      ASSERT_TRUE(Ask(*question, (*table)->table()) == question->answer)
          << question->op << " in " << question->text << ", order " << order;
    }
  }
  if (OnlyOperators() != nullptr) return;
  // Many kernels of all backends and origins are among the answers.
  EXPECT_GT(questions.size(), 5000u);
  EXPECT_GT(chosen.size(), 1000u);
  const auto of_plugin = [](const KernelDef* kernel) {
    return kernel != nullptr &&
           std::string(kernel->key.backend->name) == "throwing";
  };
  EXPECT_GE(std::count_if(chosen.begin(), chosen.end(), of_plugin), 3);
}

}  // namespace
}  // namespace switchyard
