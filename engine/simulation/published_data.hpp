// Additional data: what it publishes, when it is updated, and what is reported to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/cloned.hpp"
#include "dispatch/additional_data.hpp"

namespace schedlab {

class PublishedData {
 public:
  PublishedData(DataBoard board, std::vector<Cloned<AdditionalData>> data)
      : board_(std::move(board)), data_(std::move(data)), due_(data_.size()) {
    for (const auto& one : data_) {
      follows_jobs_ = follows_jobs_ || one->follows_jobs();
      follows_submissions_ = follows_submissions_ || one->follows_submissions();
    }
  }

  [[nodiscard]] bool empty() const { return data_.empty(); }
  [[nodiscard]] bool follows_jobs() const { return follows_jobs_; }
  [[nodiscard]] bool follows_submissions() const { return follows_submissions_; }
  [[nodiscard]] DataBoard& board() { return board_; }
  [[nodiscard]] const DataBoard& board() const { return board_; }
  [[nodiscard]] const std::vector<Cloned<AdditionalData>>& all() const { return data_; }
  void clear() {
    data_.clear();
    due_.clear();
  }

  /// When one that is updated at intervals is due, once all were updated at the first time point.
  [[nodiscard]] Time next_time() const {
    Time next = never;
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (data_[i]->every() > 0) next = std::min(next, due_[i]);
    }
    return next;
  }
  /// Updates what is due, before the decision or after it; at the first time point everything is.
  void update(const State& state, bool first, bool after_decision) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      AdditionalData& data = *data_[i];
      const bool is_due = data.every() == 0 || first || state.now() >= due_[i];
      if (data.after_decision() != after_decision || !is_due) continue;
      data.update(state, board_);
      if (data.every() > 0) due_[i] = later(first ? state.now() : due_[i], data.every());
    }
  }

  void before_submission(const State& state, Slot slot) {
    for (const auto& data : data_) data->before_submission(state, slot, board_);
  }
  void after_submission(const State& state, Slot slot) {
    for (const auto& data : data_) data->after_submission(state, slot, board_);
  }
  void started(const State& state, Slot slot) {
    for (const auto& data : data_) data->started(state, slot);
  }
  void ended(const State& state, Slot slot) {
    for (const auto& data : data_) data->ended(state, slot);
  }
  void stop(const State& state) {
    for (const auto& data : data_) data->stop(state);
  }

  void archive(Archive& archive) {
    archive(board_);
    for (const auto& data : data_) data->archive(archive);
    archive(due_);
    Archive::require(due_.size() == data_.size(), "updates of data are missing");
  }

 private:
  DataBoard board_;
  std::vector<Cloned<AdditionalData>> data_;
  std::vector<Time> due_;  // per additional data
  bool follows_jobs_ = false;
  bool follows_submissions_ = false;
};

}  // namespace schedlab
