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
  Cloned(const Cloned& other) : held_(other.held_ ? other.held_->clone() : nullptr) {}
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
  std::unique_ptr<T> held_;
};

}  // namespace schedlab
