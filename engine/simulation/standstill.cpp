#include "simulation/standstill.hpp"

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Empty where no cap refused a start.
std::string refused_by_caps(const JobLife& life) {
  std::uint64_t refused = 0;
  if (life.platform() != nullptr) {
    for (const auto& account : life.platform()->caps().accounts()) refused += account.refused;
  }
  if (refused == 0) return "";
  return "; power caps refused to start jobs (" + std::to_string(refused) + " times): perhaps they are too low for it";
}

std::string first_waiting(const JobLife& life) {
  return "the first is job " + std::to_string(life.jobs()[life.queue().front().slot].id);
}

}  // namespace

void Standstill::check(const JobLife& life, bool anything_comes) {
  constexpr std::uint64_t most = 100'000;
  const std::uint64_t left = life.counts().left();
  const bool in_vain = life.counts().running == 0 && !anything_comes && left == left_before_ && !life.queue().empty();
  in_vain_ = in_vain ? in_vain_ + 1 : 0;
  left_before_ = left;
  if (in_vain_ < most) return;
  throw SimulationError("nodes failed, were repaired, or their power or its cap changed " + std::to_string(most) +
                        " times since anything else happened, and " + std::to_string(life.queue().size()) +
                        " jobs still wait; " + first_waiting(life) +
                        ": perhaps as many nodes as it needs are never up together" + refused_by_caps(life));
}

void refuse_waiting_jobs(const JobLife& life) {
  if (life.queue().empty() && life.counts().held == 0) return;
  if (life.counts().running > 0) return;  // they stand still, and continue when they get a speed
  throw SimulationError(
      "nothing is left to happen, but " + std::to_string(life.queue().size()) + " queued and " +
      std::to_string(life.counts().held) + " held jobs never started" +
      (life.queue().empty()
           ? ""
           : "; " + first_waiting(life) + refused_by_caps(life) +
                 (life.allocator().places_whatever_fits() ? "" : "; the allocator found no nodes for it")));
}

}  // namespace schedlab
