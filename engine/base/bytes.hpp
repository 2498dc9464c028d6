// Bytes of an input, chunk by chunk, and their checksum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace schedlab {

/// XXH64 with seed 0: checked by `xxh64sum`, and fast enough to be taken of every input while it is read.
class Checksum {
 public:
  void add(const char* data, std::size_t size);
  [[nodiscard]] std::string hex() const;

 private:
  void mix_stripe(const char* stripe);

  std::array<std::uint64_t, 4> lanes_ = {0x60EA27EEADC0B5D6U, 0xC2B2AE3D27D4EB4FU, 0x0U, 0x61C8864E7A143579U};
  std::array<char, 32> pending_{};
  std::uint64_t total_ = 0;
};

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = default;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads up to `size` bytes; 0 only at the end.
  virtual std::size_t read(char* into, std::size_t size) = 0;

  [[nodiscard]] virtual std::unique_ptr<ByteSource> clone() const = 0;
};

/// A plain file.
class FileBytes final : public ByteSource {
 public:
  /// Throws FileError if it cannot be opened.
  explicit FileBytes(std::string path);
  FileBytes(const FileBytes& other);

  std::size_t read(char* into, std::size_t size) override;
  [[nodiscard]] std::unique_ptr<ByteSource> clone() const override { return std::make_unique<FileBytes>(*this); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace schedlab
