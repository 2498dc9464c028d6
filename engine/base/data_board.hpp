// Values that are published by name while a simulation runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/archive.hpp"

namespace schedlab {

/// Values that additional data publishes: numbers by name, and tables of numbers by a whole number such as the user.
class DataBoard {
 public:
  using Table = std::unordered_map<std::int64_t, double>;

  DataBoard() = default;
  DataBoard(std::vector<std::string> numbers, std::vector<std::string> tables)
      : number_names_(std::move(numbers)),
        table_names_(std::move(tables)),
        numbers_(number_names_.size()),
        tables_(table_names_.size()) {}

  [[nodiscard]] const std::vector<std::string>& number_names() const { return number_names_; }
  [[nodiscard]] const std::vector<std::string>& table_names() const { return table_names_; }
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  [[nodiscard]] double number(std::size_t index) const { return numbers_[index]; }
  [[nodiscard]] const Table& table(std::size_t index) const { return tables_[index]; }
  void set_number(std::size_t index, double value) { numbers_[index] = value; }
  Table& change_table(std::size_t index) { return tables_[index]; }

  /// 0 where the table has no such key.
  [[nodiscard]] double at(std::size_t table, std::int64_t key) const {
    const auto found = tables_[table].find(key);
    return found == tables_[table].end() ? 0.0 : found->second;
  }

  void archive(Archive& archive) {
    archive(numbers_, tables_);
    const bool whole = numbers_.size() == number_names_.size() && tables_.size() == table_names_.size();
    Archive::require(whole, "what is published is not whole");
  }

 private:
  std::vector<std::string> number_names_;
  std::vector<std::string> table_names_;
  std::vector<double> numbers_;
  std::vector<Table> tables_;
};

}  // namespace schedlab
