#include "dispatch/job_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/errors.hpp"
#include "base/random.hpp"

namespace schedlab {

namespace {

constexpr std::size_t no_type = std::numeric_limits<std::size_t>::max();

std::size_t type_named(std::string_view name, const std::vector<std::string>& types) {
  const auto found = std::find(types.begin(), types.end(), name);
  return found == types.end() ? no_type : static_cast<std::size_t>(found - types.begin());
}

/// What the job says, or 0: who does not say what he needs asks for nothing. (SWF writes -1 for what is not known.)
double said(const JobTable& jobs, Slot slot, std::string_view attribute) {
  const double value = jobs.attribute(slot, attribute);
  return value > 0.0 ? value : 0.0;
}

/// An order by a number that a job has from the start.
template <class Key>
class FixedOrder final : public JobOrder {
 public:
  explicit FixedOrder(Key key) : key_(key) {}

  [[nodiscard]] bool changes() const override { return false; }
  void keys(const State& state, std::span<const Slot> jobs, double* keys) override {
    for (std::size_t i = 0; i < jobs.size(); ++i) keys[i] = key_(state, jobs[i]);
  }
  [[nodiscard]] std::unique_ptr<JobOrder> clone() const override { return std::make_unique<FixedOrder>(*this); }

 private:
  Key key_;
};

/// By its place in the sequence of joining, so that there is nothing to save: a fork and a loaded state draw the same.
struct RandomKey {
  std::uint64_t seed;
  double operator()(const State& state, Slot slot) const { return random_key(seed, state.jobs()[slot].sequence); }
};

/// Cores of all tasks; tasks where machines know no cores.
struct Cores {
  std::size_t core_type;
  double operator()(const State& state, Slot slot) const {
    const double tasks = state.jobs()[slot].tasks;
    return core_type == no_type ? tasks : tasks * static_cast<double>(state.jobs().amounts(slot)[core_type]);
  }
};

/// Nodes of the empty machine that its tasks fill, the last one perhaps in part: the size of a job as PPT has it
/// (Obaida and Liu 2017).
struct Nodes {
  double operator()(const State& state, Slot slot) const {
    return state.machine().fewest_nodes(state.jobs()[slot], state.jobs().amounts(slot));
  }
};

/// A size of the job times its estimate; the largest first where the sign is -1.
template <class Size>
struct HoursKey {
  Size size;
  double sign;
  double operator()(const State& state, Slot slot) const {
    return sign * (size(state, slot) * static_cast<double>(state.jobs()[slot].estimate));
  }
};

template <class Size>
std::unique_ptr<JobOrder> by_hours(Size size, double sign) {
  return std::make_unique<FixedOrder<HoursKey<Size>>>(HoursKey<Size>{size, sign});
}

/// Memory of the whole job: what its tasks take of the machine's, or else by what it says for each processor.
struct MemoryKey {
  std::size_t memory_type;
  Cores cores;
  double operator()(const State& state, Slot slot) const {
    const JobTable& jobs = state.jobs();
    const Amount taken = memory_type == no_type ? 0 : jobs.amounts(slot)[memory_type];
    if (taken > 0) return static_cast<double>(taken) * jobs[slot].tasks;
    const Amount of_processor = cores.core_type == no_type ? 0 : state.machine().spec().processor[cores.core_type];
    const double processors = cores(state, slot) / static_cast<double>(std::max<Amount>(1, of_processor));
    return said(jobs, slot, "requested_memory") * processors;
  }
};

/// Memory traffic of the whole job over the time it asks for.
struct BandwidthKey {
  Cores cores;
  double operator()(const State& state, Slot slot) const {
    const double volume = said(state.jobs(), slot, "memory_volume") * cores(state, slot);
    return volume > 0.0 ? volume / in_seconds(state.jobs()[slot].requested_time()) : 0.0;
  }
};

/// Throws where no job can have the attribute.
void require(std::string_view attribute, std::string_view order, const JobSource& source, const std::string& advice) {
  const auto& names = source.attribute_names();
  if (source.may_add_attributes() || std::find(names.begin(), names.end(), attribute) != names.end()) return;
  throw InputError("order \"" + std::string(order) + "\": the workload has no \"" + std::string(attribute) + "\"; " +
                   advice);
}

}  // namespace

double random_key(std::uint64_t seed, std::uint64_t n) {
  // A stream of its own: with the allocator's, which has the same seed, who goes first would be tied to where.
  const std::uint64_t stream = Random(seed ^ 0x6F72646572ULL).next();
  return static_cast<double>(Random::nth(stream, n) >> 11U) * 0x1p-53;
}

std::unique_ptr<JobOrder> make_job_order(std::string_view name, std::uint64_t seed,
                                         const std::vector<std::string>& resource_types, const JobSource& source) {
  const Cores cores{type_named("core", resource_types)};
  if (name == "random") return std::make_unique<FixedOrder<RandomKey>>(RandomKey{seed});
  if (name == "fewest-cores") return std::make_unique<FixedOrder<Cores>>(cores);
  if (name == "fewest-node-hours") return by_hours(Nodes{}, 1.0);
  if (name == "most-node-hours") return by_hours(Nodes{}, -1.0);
  if (name == "fewest-core-hours") return by_hours(cores, 1.0);
  if (name == "most-core-hours") return by_hours(cores, -1.0);
  if (name == "low-mem") {
    const std::size_t memory_type = type_named("mem", resource_types);
    if (memory_type == no_type || !source.asks_for_more()) {
      require("requested_memory", name, source,
              "read it with keep=requested_memory, or let jobs ask for \"mem\" of the system");
    }
    return std::make_unique<FixedOrder<MemoryKey>>(MemoryKey{memory_type, cores});
  }
  if (name == "low-mem-bw") {
    require(
        "memory_volume", name, source,
        "that is MB of memory traffic of what runs on one core: workloads of IRMaSim have it, and a job factory can "
        "add it");
    return std::make_unique<FixedOrder<BandwidthKey>>(BandwidthKey{cores});
  }
  return nullptr;
}

}  // namespace schedlab
