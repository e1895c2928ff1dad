// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/chains/chain_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/core/kernel_context.h"

namespace switchyard::static_graph {
namespace {

using Clock = std::chrono::steady_clock;

// A tensor over a block of another one, which moves from block to block.
class BlockTensor : public DenseTensor {
 public:
  BlockTensor() = default;

  // Makes this of the shape of a block; the memory stays.
  void SetShape(const TensorMeta& meta) {
    static_cast<DenseTensor&>(*this) = DenseTensor(meta, buffer_);
  }
  void MoveTo(int64_t offset) { meta_.offset = offset; }
};

}  // namespace

// One thread's tensors and launches.
class ChainRun::Lane {
 public:
  explicit Lane(const ChainRun& run)
      : run_(run), tensors_(run.tensors_.size()), bases_(tensors_.size()) {
    // Launches point into these: they must not grow afterwards.
    inputs_.reserve(run.arguments_.size());
    outputs_.reserve(run.chain_.members.size());
    int next = 0;
    for (const Step& member : run.chain_.members) {
      const size_t first = inputs_.size();
      for (size_t i = 0; i < member.inputs.size(); ++i) {
        inputs_.push_back(&tensors_[run.arguments_[next++]]);
      }
      outputs_.push_back(&tensors_[run.arguments_[next++]]);
      launches_.emplace_back(
          context_,
          phi::TensorArgs{{absl::MakeConstSpan(inputs_).subspan(first),
                           member.input_segments},
                          member.attrs,
                          {absl::MakeConstSpan(&outputs_.back(), 1),
                           member.output_segments}},
          member.kernel);
    }
  }

  // Takes the memory of a run's tensors, and that of its own.
  absl::Status Bind(absl::Span<const DenseTensor> tensors) {
    if (bound_ == run_.run_) return absl::OkStatus();
    if (!scratch_ && run_.chain_.scratch_bytes > 0) {
      SY_ASSIGN_OR_RETURN(scratch_, CpuAllocator().Allocate(static_cast<size_t>(
                                        run_.chain_.scratch_bytes)));
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& described = run_.tensors_[i];
      const bool inner = described.scratch >= 0;
      const DenseTensor& whole = tensors[described.id];
      tensors_[i].SetBuffer(inner ? scratch_ : whole.buffer());
      bases_[i] = inner ? described.scratch : whole.offset();
    }
    bound_ = run_.run_;
    return absl::OkStatus();
  }

  // Lets go of tensors that are not its own.
  void Release() {
    for (BlockTensor& tensor : tensors_) tensor.SetBuffer(nullptr);
    bound_ = 0;
  }

  void MoveTo(int64_t block) {
    const ElementwiseChain& chain = run_.chain_;
    const int64_t first = block % run_.blocks_of_axis_ * chain.rows;
    SetRows(std::min(chain.rows, chain.shape.extent(chain.axis) - first));
    std::array<int64_t, kMaxRank> index = {};
    index[chain.axis] = first;
    int64_t rest = block / run_.blocks_of_axis_;
    for (int axis = chain.axis - 1; axis >= 0; --axis) {
      index[axis] = rest % chain.shape.extent(axis);
      rest /= chain.shape.extent(axis);
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      int64_t offset = bases_[i];
      for (int axis = 0; axis <= chain.axis; ++axis) {
        offset += index[axis] * run_.tensors_[i].steps[axis];
      }
      tensors_[i].MoveTo(offset);
    }
  }

  absl::Status Launch(size_t member) {
    return run_.chain_.members[member].kernel->thunk(launches_[member]);
  }

 private:
  // Gives all tensors the shape of a block of `rows`.
  void SetRows(int64_t rows) {
    if (rows == rows_) return;
    rows_ = rows;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& described = run_.tensors_[i];
      TensorMeta meta = run_.made_.tensors[described.id].meta;
      Shape shape;
      for (int axis = 0; axis < meta.shape.rank(); ++axis) {
        const bool outer = described.lead + axis < run_.chain_.axis;
        const int64_t extent =
            axis == described.axis ? rows : meta.shape.extent(axis);
        shape.push_back(outer ? 1 : extent);
      }
      meta.shape = shape;
      if (meta.contiguous) meta.strides = ContiguousStrides(shape);
      meta.contiguous = IsContiguous(shape, meta.strides);
      tensors_[i].SetShape(meta);
    }
  }

  const ChainRun& run_;
  const CpuContext context_;  // All kernels are of this backend.
  RefPtr<Buffer> scratch_;
  std::vector<BlockTensor> tensors_;  // As those of the chain.
  std::vector<int64_t> bases_;        // Where block 0 begins, in elements.
  std::vector<const TensorBase*> inputs_;
  std::vector<TensorBase*> outputs_;
  std::vector<phi::KernelContext> launches_;
  int64_t rows_ = 0;   // Of the block that the tensors are over.
  int64_t bound_ = 0;  // The run whose memory they have.
};

ChainRun::ChainRun(const ElementwiseChain& chain,
                   const ShapeSpecialization& made)
    : chain_(chain), made_(made) {
  std::vector<int> numbers(made.tensors.size(), -1);
  const auto add = [&](TensorId id) {
    if (numbers[id] < 0) {
      numbers[id] = static_cast<int>(tensors_.size());
      AddTensor(id);
    }
    arguments_.push_back(numbers[id]);
  };
  for (const Step& member : chain.members) {
    for (TensorId input : member.inputs) add(input);
    add(member.outputs[0]);
  }
  blocks_of_axis_ =
      (chain.shape.extent(chain.axis) + chain.rows - 1) / chain.rows;
  blocks_ = blocks_of_axis_;
  for (int axis = 0; axis < chain.axis; ++axis) {
    blocks_ *= chain.shape.extent(axis);
  }
}

ChainRun::~ChainRun() = default;

void ChainRun::AddTensor(TensorId id) {
  const TensorMeta& meta = made_.tensors[id].meta;
  Tensor tensor;
  tensor.id = id;
  // A reduction leaves the axes up to the cut one where they are.
  const bool reduced = std::find(chain_.reduced.begin(), chain_.reduced.end(),
                                 id) != chain_.reduced.end();
  tensor.lead = reduced ? 0 : chain_.shape.rank() - meta.shape.rank();
  for (int axis = 0; axis <= chain_.axis - tensor.lead; ++axis) {
    if (meta.shape.extent(axis) == 1) continue;
    tensor.steps[tensor.lead + axis] = meta.strides[axis];
    if (tensor.lead + axis == chain_.axis) tensor.axis = axis;
  }
  const auto inner =
      std::lower_bound(chain_.inner.begin(), chain_.inner.end(), id,
                       [](const ElementwiseChain::Inner& a, TensorId b) {
                         return a.tensor < b;
                       });
  if (inner != chain_.inner.end() && inner->tensor == id) {
    tensor.scratch =
        inner->offset / static_cast<int64_t>(ElementSize(meta.dtype));
    tensor.steps = {};  // Every block lies at one place.
  }
  tensors_.push_back(tensor);
}

void ChainRun::Note(size_t member, const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!status_.ok() && failed_ <= member) return;
  status_ = status;
  failed_ = member;
}

void ChainRun::RunBlocks(int64_t begin, int64_t end,
                         absl::Span<const DenseTensor> tensors, bool timed) {
  std::unique_ptr<Lane> lane;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      lane = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (lane == nullptr) lane = std::make_unique<Lane>(*this);
  const absl::Status bound = lane->Bind(tensors);
  if (!bound.ok()) return Note(0, bound);
  std::vector<int64_t> times(timed ? chain_.members.size() : 0);
  for (int64_t block = begin; block < end; ++block) {
    lane->MoveTo(block);
    for (size_t member = 0; member < chain_.members.size(); ++member) {
      const Clock::time_point start =
          timed ? Clock::now() : Clock::time_point();
      const absl::Status status = lane->Launch(member);
      if (timed) times[member] += (Clock::now() - start).count();
      if (status.ok()) continue;
      Note(member, status);
      break;
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t member = 0; member < times.size(); ++member) {
    times_[member] += times[member];
  }
  idle_.push_back(std::move(lane));
}

absl::Status ChainRun::Run(absl::Span<const DenseTensor> tensors,
                           std::vector<int64_t>* times) {
  ++run_;
  status_ = absl::OkStatus();
  times_.assign(chain_.members.size(), 0);
  ParallelFor(0, blocks_, 1, [&](int64_t begin, int64_t end) {
    RunBlocks(begin, end, tensors, times != nullptr);
  });
  for (const std::unique_ptr<Lane>& lane : idle_) lane->Release();
  if (times != nullptr) *times = times_;
  return status_;
}

}  // namespace switchyard::static_graph
