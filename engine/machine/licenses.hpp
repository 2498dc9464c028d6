// Licenses: what jobs share that belongs to no node, such as licenses of a program, or space of a burst buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "jobs/job.hpp"

namespace schedlab {

struct License {
  std::string name;
  Amount amount;
};

/// How many there are of each, how many are free, and what jobs ask for, by number. Number 0 is nothing, and the same
/// amounts always have the same number: it is part of what a job asks for.
class Licenses {
 public:
  static constexpr std::uint32_t none = 0;

  Licenses() : Licenses(std::vector<License>{}) {}
  explicit Licenses(std::vector<License> all);

  [[nodiscard]] const std::vector<License>& all() const { return all_; }
  [[nodiscard]] std::size_t kinds() const { return all_.size(); }
  [[nodiscard]] Amount free(std::size_t kind) const { return free_[kind]; }
  [[nodiscard]] Amount used(std::size_t kind) const { return all_[kind].amount - free_[kind]; }

  /// Whether there is as much of each at all.
  [[nodiscard]] bool has(const std::vector<Amount>& amounts) const;
  /// The number of what a job asks for, which there is; it is added where it is new.
  std::uint32_t number_of(const std::vector<Amount>& amounts);
  [[nodiscard]] std::size_t requests() const { return requests_.size(); }
  /// The amounts of each that a number stands for.
  [[nodiscard]] const Amount* amounts(std::uint32_t request) const { return requests_[request].data(); }

  /// Whether these amounts are enough for a request.
  [[nodiscard]] bool suffice(const Amount* free, std::uint32_t request) const {
    return request == none || all_suffice(free, request);
  }
  /// Whether two requests are for some of the same.
  [[nodiscard]] bool share(std::uint32_t one, std::uint32_t other) const;

  /// Whether what is free now is enough.
  [[nodiscard]] bool free_for(std::uint32_t request) const { return suffice(free_.data(), request); }

  /// Adds what a request takes to amounts, N times.
  void add(Amount* amounts, std::uint32_t request, int times) const {
    if (request != none) add_all(amounts, request, times);
  }
  /// What a request takes is taken, or given back.
  void take(std::uint32_t request) { add(free_.data(), request, -1); }
  void give_back(std::uint32_t request) { add(free_.data(), request, 1); }

  /// A job of a saved state has the number of what it asks for, so requests are saved in their order.
  void archive(Archive& archive);

 private:
  [[nodiscard]] bool all_suffice(const Amount* free, std::uint32_t request) const;
  void add_all(Amount* amounts, std::uint32_t request, int times) const;

  std::vector<License> all_;
  std::vector<Amount> free_;
  std::vector<std::vector<Amount>> requests_;
  std::map<std::vector<Amount>, std::uint32_t> numbers_;
};

/// The licenses that jobs name by texts. Jobs have them as a number.
class LicenseTexts {
 public:
  LicenseTexts() = default;
  LicenseTexts(const LicenseTexts&) = default;
  LicenseTexts& operator=(const LicenseTexts&) = delete;
  virtual ~LicenseTexts() = default;

  /// The amount of each license that there is; empty where one is named that there is not. Throws InputError where the
  /// number stands for nothing.
  [[nodiscard]] virtual std::vector<Amount> amounts(double number) const = 0;
  /// As a person wrote it.
  [[nodiscard]] virtual std::string text(double number) const = 0;

  [[nodiscard]] virtual std::unique_ptr<LicenseTexts> clone() const = 0;
};

}  // namespace schedlab
