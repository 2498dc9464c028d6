// An owning pointer whose copy clones what it points to, so that state holding policies is copied as a value.
#pragma once

#include <memory>
#include <utility>

namespace schedlab {

template <class T>
class Cloned {
 public:
  Cloned() = default;
  template <class Derived>
  Cloned(std::unique_ptr<Derived> held) : held_(std::move(held)) {}  // NOLINT(google-explicit-constructor)
  Cloned(const Cloned& other) : held_(copy_of(other.held_)) {}
  Cloned(Cloned&&) noexcept = default;
  Cloned& operator=(Cloned other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Cloned() = default;

  T* operator->() const { return held_.get(); }
  T& operator*() const { return *held_; }
  explicit operator bool() const { return held_ != nullptr; }

 private:
  /// Classes without others derived from them need no `clone`.
  static std::unique_ptr<T> copy_of(const std::unique_ptr<T>& held) {
    if (!held) return nullptr;
    if constexpr (requires { held->clone(); }) {
      return held->clone();
    } else {
      return std::make_unique<T>(*held);
    }
  }

  std::unique_ptr<T> held_;
};

}  // namespace schedlab
