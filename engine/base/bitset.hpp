// A set of small integers that finds the member after or before a place in a few instructions, also among 100,000.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedlab {

class Bitset {
 public:
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  explicit Bitset(std::size_t size = 0) : words_((size + 63) / 64), groups_((words_.size() + 63) / 64) {}

  void insert(std::size_t member) {
    words_[member / 64] |= bit(member);
    groups_[member / 4096] |= bit(member / 64);
  }

  void erase(std::size_t member) {
    if ((words_[member / 64] &= ~bit(member)) == 0) groups_[member / 4096] &= ~bit(member / 64);
  }

  [[nodiscard]] bool contains(std::size_t member) const { return (words_[member / 64] & bit(member)) != 0; }

  /// The first member at or after `from`, or npos.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    std::size_t word = from / 64;
    if (word >= words_.size()) return npos;
    if (const auto rest = words_[word] >> (from % 64)) return from + low(rest);
    if (++word >= words_.size()) return npos;
    std::size_t group = word / 64;
    auto words = (groups_[group] >> (word % 64)) << (word % 64);
    while (words == 0) {
      if (++group >= groups_.size()) return npos;
      words = groups_[group];
    }
    word = group * 64 + low(words);
    return word * 64 + low(words_[word]);
  }

  /// The last member at or before `to`, or npos.
  [[nodiscard]] std::size_t last(std::size_t to) const {
    std::size_t word = to / 64;
    if (const auto rest = words_[word] << (63 - to % 64)) return to - high(rest);
    std::size_t group = word / 64;
    auto words = groups_[group] & (bit(word) - 1);
    while (words == 0) {
      if (group-- == 0) return npos;
      words = groups_[group];
    }
    word = group * 64 + 63 - high(words);
    return word * 64 + 63 - high(words_[word]);
  }

 private:
  static std::uint64_t bit(std::size_t member) { return std::uint64_t{1} << (member % 64); }
  static std::size_t low(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }
  static std::size_t high(std::uint64_t bits) { return static_cast<std::size_t>(std::countl_zero(bits)); }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> groups_;  // one bit for each word that has a member
};

}  // namespace schedlab
