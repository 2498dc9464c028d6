#include "base/bytes.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

// The constants and steps of the XXH64 specification.
constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87U;
constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4FU;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9U;
constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63U;
constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5U;

/// A little-endian number.
std::uint64_t number(const char* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8U * i);
  return value;
}

/// One of eight bytes. Compilers do not see that the loop above is a load, which makes all of it six times as slow.
std::uint64_t word(const char* bytes) {
  if constexpr (std::endian::native != std::endian::little) return number(bytes, 8);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint64_t round_of(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * prime2, 31) * prime1;
}

}  // namespace

void Checksum::mix_stripe(const char* stripe) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = round_of(lanes_[i], word(stripe + 8 * i));
}

void Checksum::add(const char* data, std::size_t size) {
  const std::size_t held = total_ % 32;
  total_ += size;
  if (held + size < 32) {
    std::copy(data, data + size, pending_.begin() + static_cast<std::ptrdiff_t>(held));
    return;
  }
  if (held > 0) {
    std::copy(data, data + (32 - held), pending_.begin() + static_cast<std::ptrdiff_t>(held));
    mix_stripe(pending_.data());
    data += 32 - held;
    size -= 32 - held;
  }
  for (; size >= 32; data += 32, size -= 32) mix_stripe(data);
  std::copy(data, data + size, pending_.begin());
}

std::string Checksum::hex() const {
  std::uint64_t hash = prime5;
  if (total_ >= 32) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = (hash ^ round_of(0, lane)) * prime1 + prime4;
  }
  hash += total_;
  const char* rest = pending_.data();
  std::size_t left = total_ % 32;
  for (; left >= 8; rest += 8, left -= 8) hash = std::rotl(hash ^ round_of(0, number(rest, 8)), 27) * prime1 + prime4;
  if (left >= 4) {
    hash = std::rotl(hash ^ (number(rest, 4) * prime1), 23) * prime2 + prime3;
    rest += 4;
    left -= 4;
  }
  for (; left > 0; ++rest, --left) hash = std::rotl(hash ^ (number(rest, 1) * prime5), 11) * prime1;
  hash = (hash ^ (hash >> 33U)) * prime2;
  hash = (hash ^ (hash >> 29U)) * prime3;
  hash ^= hash >> 32U;
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[(hash >> (4 * i)) & 15U];
  return text;
}

FileBytes::FileBytes(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (!file_) {
    const int code = errno;
    throw FileError(code, path_);
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // the reader has its own buffer
}

FileBytes::FileBytes(const FileBytes& other) : FileBytes(other.path_) {
  const long position = std::ftell(other.file_.get());
  if (position < 0 || std::fseek(file_.get(), position, SEEK_SET) != 0) throw FileError(errno, path_);
}

std::size_t FileBytes::read(char* into, std::size_t size) {
  const std::size_t got = std::fread(into, 1, size, file_.get());
  if (got < size && std::ferror(file_.get()) != 0) throw FileError(errno, path_);
  return got;
}

}  // namespace schedlab
