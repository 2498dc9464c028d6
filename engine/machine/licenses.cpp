#include "machine/licenses.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

Licenses::Licenses(std::vector<License> all) : all_(std::move(all)) {
  for (const License& license : all_) free_.push_back(license.amount);
  number_of(std::vector<Amount>(kinds()));
}

std::uint32_t Licenses::number_of(const std::vector<Amount>& amounts) {
  const auto [found, is_new] = numbers_.try_emplace(amounts, static_cast<std::uint32_t>(requests_.size()));
  if (is_new) requests_.push_back(amounts);
  return found->second;
}

bool Licenses::share(std::uint32_t one, std::uint32_t other) const {
  for (std::size_t kind = 0; kind < kinds(); ++kind) {
    if (requests_[one][kind] > 0 && requests_[other][kind] > 0) return true;
  }
  return false;
}

bool Licenses::all_suffice(const Amount* free, std::uint32_t request) const {
  const std::vector<Amount>& wanted = requests_[request];
  for (std::size_t kind = 0; kind < wanted.size(); ++kind) {
    if (wanted[kind] > free[kind]) return false;
  }
  return true;
}

bool Licenses::has(const std::vector<Amount>& amounts) const {
  return std::equal(amounts.begin(), amounts.end(), all_.begin(), all_.end(),
                    [](Amount amount, const License& license) { return amount <= license.amount; });
}

void Licenses::add_all(Amount* amounts, std::uint32_t request, int times) const {
  for (std::size_t kind = 0; kind < kinds(); ++kind) amounts[kind] += times * requests_[request][kind];
}

void Licenses::archive(Archive& archive) {
  std::vector<std::vector<Amount>> saved = requests_;
  archive(free_, saved);
  if (!archive.reading()) return;
  Archive::require(free_.size() == kinds(), "licenses are of another machine");
  requests_.clear();
  numbers_.clear();
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const bool sound =
        has(saved[i]) && std::all_of(saved[i].begin(), saved[i].end(), [](Amount amount) { return amount >= 0; });
    Archive::require(sound && number_of(saved[i]) == i, "licenses of jobs are not of this machine");
  }
  Archive::require(!requests_.empty() && requests_[none] == std::vector<Amount>(kinds()),
                   "licenses of jobs are missing");
}

}  // namespace schedlab
