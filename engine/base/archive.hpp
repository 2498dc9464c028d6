// State as bytes, and back: one function of each class lists its members, for both directions.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace schedlab {

/// Writes the values it is called with, or reads them in the same order. Classes take part with a member
/// `void archive(Archive&)`. Numbers are stored as this machine has them.
class Archive {
 public:
  Archive() = default;                                                               // to write
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}  // to read

  [[nodiscard]] bool reading() const { return reading_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool at_end() const { return next_ == bytes_.size(); }

  template <class... T>
  void operator()(T&... values) {
    (value(values), ...);
  }

  /// Throws InputError where something does not hold that every state has which was saved.
  static void require(bool holds, const char* what) {
    if (!holds) throw InputError(std::string("the saved state is damaged: ") + what);
  }

 private:
  template <class T>
  static constexpr bool is_class = requires(T& item, Archive& archive) { item.archive(archive); };

  template <class T>
  void value(T& item) {
    if constexpr (is_class<T>) {
      item.archive(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      auto byte = static_cast<std::uint8_t>(item);
      raw(&byte, 1);
      require(byte <= 1, "a flag is neither 0 nor 1");
      item = byte == 1;
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
      raw(&item, sizeof(T));
    }
  }

  void value(std::string& text) {
    resize(text, 1);
    raw(text.data(), text.size());
  }

  void value(std::vector<bool>&) = delete;

  template <class T>
  void value(std::vector<T>& items) {
    if constexpr (std::is_arithmetic_v<T>) {
      resize(items, sizeof(T));
      raw(items.data(), items.size() * sizeof(T));
    } else {
      std::uint64_t size = items.size();
      raw(&size, sizeof(size));
      if (reading_) {
        read_items(items, size);
      } else {
        for (T& item : items) value(item);
      }
    }
  }

  /// One after the other: room is made for what is there, not for what a damaged file says. Items that are there keep
  /// what is not stored of them.
  template <class T>
  void read_items(std::vector<T>& items, std::uint64_t size) {
    if (size < items.size()) items.resize(static_cast<std::size_t>(size));
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::size_t before = next_;
      if (i == items.size()) items.emplace_back();
      value(items[static_cast<std::size_t>(i)]);
      if (next_ == before) damaged();  // nothing is stored in no bytes
    }
  }

  template <class T, std::size_t size>
  void value(std::array<T, size>& items) {
    for (T& item : items) value(item);
  }

  template <class A, class B>
  void value(std::pair<A, B>& both) {
    value(both.first);
    value(both.second);
  }

  /// In the order of the keys, so that equal states are equal bytes.
  template <class Key, class T>
  void value(std::unordered_map<Key, T>& map) {
    std::vector<std::pair<Key, T>> pairs;
    if (!reading_) {
      pairs.assign(map.begin(), map.end());
      std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    value(pairs);
    if (!reading_) return;
    map.clear();
    for (auto& [key, item] : pairs) map.emplace(key, std::move(item));
  }

  /// The number of items of N bytes each; what is left must have them all, or a damaged file could ask for any memory.
  template <class Container>
  void resize(Container& items, std::size_t item_bytes) {
    std::uint64_t size = items.size();
    raw(&size, sizeof(size));
    if (!reading_) return;
    if (size > (bytes_.size() - next_) / item_bytes) damaged();
    items.resize(static_cast<std::size_t>(size));
  }

  void raw(void* item, std::size_t size) {
    if (size == 0) return;
    if (!reading_) {
      bytes_.append(static_cast<const char*>(item), size);
      return;
    }
    if (size > bytes_.size() - next_) damaged();
    std::memcpy(item, bytes_.data() + next_, size);
    next_ += size;
  }

  [[noreturn]] static void damaged() { throw InputError("the saved state is damaged or of another version"); }

  std::string bytes_;
  std::size_t next_ = 0;
  bool reading_ = false;
};

}  // namespace schedlab
