#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/digits.hpp"
#include "base/errors.hpp"
#include "workload/swf.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace schedlab {

namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 16U;
constexpr std::size_t padding = 64;  // readable after the last byte, so that a line can be looked at in whole words
constexpr std::size_t longest_line = std::size_t{1} << 24U;
constexpr std::size_t most_comments = 10'000;
constexpr std::size_t most_extra_fields = 1'000;
constexpr std::size_t most_comment_bytes = std::size_t{1} << 24U;

/// One bit for each of 64 bytes.
struct Bytes64 {
  std::uint64_t separators;  // of fields: blanks and everything below
  std::uint64_t foreign;     // neither separators nor part of any number
};

#if defined(__SSE2__)
Bytes64 classify(const char* bytes) {
  const __m128i blank = _mm_set1_epi8(' ');
  const __m128i plus = _mm_set1_epi8('+');
  const __m128i span = _mm_set1_epi8('9' - '+');
  Bytes64 result{0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    const __m128i above_plus = _mm_sub_epi8(part, plus);
    const auto gaps = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(part, blank), part)));
    const auto numeric =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(above_plus, span), above_plus)));
    result.separators |= std::uint64_t{gaps} << (16U * i);
    result.foreign |= std::uint64_t{~(gaps | numeric) & 0xFFFFU} << (16U * i);
  }
  return result;
}
#else
Bytes64 classify(const char* bytes) {
  Bytes64 result{0, 0};
  for (unsigned i = 0; i < 64; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte <= ' ') {
      result.separators |= std::uint64_t{1} << i;
    } else if (byte < '+' || byte > '9') {
      result.foreign |= std::uint64_t{1} << i;
    }
  }
  return result;
}
#endif

bool is_separator(char c) { return static_cast<unsigned char>(c) <= ' '; }

/// Any decimal number; false for everything else, and where the whole part does not fit.
bool parse_slowly(const char* at, SwfNumber& number) {
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  std::int64_t whole = 0;
  int digits = 0;
  for (; is_digit(*at); ++at, ++digits) {
    if (whole > (std::numeric_limits<std::int64_t>::max() - 9) / 10) return false;
    whole = whole * 10 + (*at - '0');
  }
  std::int32_t nanos = 0;
  if (*at == '.') {
    ++at;
    std::int32_t scale = 100'000'000;
    for (; is_digit(*at); ++at, ++digits, scale /= 10) nanos += (*at - '0') * scale;
  }
  if (digits == 0 || !is_separator(*at)) return false;
  number = {negative ? -whole : whole, negative ? -nanos : nanos};
  return true;
}

/// As parse_slowly, with whole numbers and "-1" in a few instructions.
bool parse(const char* at, SwfNumber& number) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if ((word & 0xFFFFU) == 0x312DU && is_separator(at[2])) {
      number = {-1, 0};
      return true;
    }
    const std::uint64_t values = word ^ 0x3030303030303030U;  // 0 to 9 where the byte is a digit
    const std::uint64_t others = (values | (values + 0x7676767676767676U)) & 0x8080808080808080U;
    const unsigned length = others == 0 ? 8U : static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (length == 0) return parse_slowly(at, number);
    std::uint64_t digits = values << (8U * (8U - length));  // as eight digits, leading zeros first
    digits = (digits * 10) + (digits >> 8U);                // pairs in every second byte
    digits = (((digits & 0x000000FF000000FFU) * 0x000F424000000064U) +
              (((digits >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U)) >>
             32U;
    auto whole = static_cast<std::int64_t>(digits);
    const char* behind = at + length;
    for (const char* end = behind + length; behind < end && length == 8 && is_digit(*behind); ++behind) {
      whole = whole * 10 + (*behind - '0');
    }
    if (is_separator(*behind)) {
      number = {whole, 0};
      return true;
    }
  }
  return parse_slowly(at, number);
}

}  // namespace

SwfScanner::SwfScanner(Cloned<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), buffer_(chunk_size + padding, '\n'), name_(std::move(name)) {}

void SwfScanner::read_header() {
  constexpr std::string_view key = "ExtraFields:";
  std::string_view line;
  while (next_line(line)) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    if (line[first] != ';') {  // a row: it will be read again
      begin_ = static_cast<std::size_t>(line.data() - buffer_.data());
      --line_number_;
      break;
    }
    keep_comment(line.substr(first + 1));
    const std::size_t named = line.find_first_not_of("; \t", first);
    if (named == std::string_view::npos || !line.substr(named).starts_with(key)) continue;
    extra_fields_.clear();
    std::string_view names = line.substr(named + key.size());
    while (true) {
      names.remove_prefix(std::min(names.size(), names.find_first_not_of(" \t\r")));
      if (names.empty()) break;
      const std::size_t size = std::min(names.size(), names.find_first_of(" \t\r"));
      extra_fields_.emplace_back(names.substr(0, size));
      if (extra_fields_.size() > most_extra_fields) {
        throw InputError(name_ + ":" + std::to_string(line_number_) + ": names more than 1,000 ExtraFields");
      }
      names.remove_prefix(size);
    }
  }
  extra_.resize(extra_fields_.size());
}

void SwfScanner::keep_comment(std::string_view text) {
  if (comments_.size() >= most_comments || text.size() > most_comment_bytes - comment_bytes_) return;
  comments_.emplace_back(text);
  comment_bytes_ += text.size();
}

SwfScanner::Line SwfScanner::next() {
  std::string_view line;
  while (next_line(line)) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    if (line[first] == ';') {
      keep_comment(line.substr(first + 1));
      continue;
    }
    return split(line) && (extra_.empty() || split_extra(line)) ? Line::row : Line::malformed;
  }
  return Line::end;
}

bool SwfScanner::next_line(std::string_view& line) {
  while (true) {
    const char* start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    if (newline != nullptr || (at_end_ && end_ > begin_)) {
      const std::size_t size = newline != nullptr ? static_cast<std::size_t>(newline - start) : end_ - begin_;
      begin_ += size + (newline != nullptr ? 1 : 0);
      ++line_number_;
      line = {start, size};
      return true;
    }
    if (at_end_) return false;
    fill();
  }
}

/// Moves what is unread to the front and reads on; a line that fills the buffer doubles it.
void SwfScanner::fill(std::size_t most) {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size() - padding) {
    if (end_ >= longest_line) {
      throw InputError(name_ + ":" + std::to_string(line_number_ + 1) +
                       ": is longer than 16 MB: this is not an SWF file");
    }
    buffer_.resize(end_ * 2 + padding);
  }
  const std::size_t got = bytes_->read(buffer_.data() + end_, std::min(most, buffer_.size() - padding - end_));
  checksum_.add(buffer_.data() + end_, got);
  bytes_read_ += got;
  end_ += got;
  at_end_ = got == 0;
  std::memset(buffer_.data() + end_, '\n', padding);
}

/// Notes where each of the 18 fields begins. Fields after them may hold anything.
bool SwfScanner::split(std::string_view line) {
  std::size_t field = 0;
  std::uint64_t gap_before = 1;  // whether the byte before this word was a separator
  for (std::size_t offset = 0; offset < line.size(); offset += 64) {
    const char* const word = line.data() + offset;
    const Bytes64 bytes = classify(word);
    std::uint64_t ours = ~std::uint64_t{0};  // bytes of the line, before the 19th field
    if (line.size() - offset < 64) ours = (std::uint64_t{1} << (line.size() - offset)) - 1;
    std::uint64_t starts = ~bytes.separators & ((bytes.separators << 1U) | gap_before) & ours;
    gap_before = bytes.separators >> 63U;
    for (; starts != 0 && field < swf_fields; starts &= starts - 1) fields_[field++] = word + std::countr_zero(starts);
    if (starts != 0) ours = (std::uint64_t{1} << static_cast<unsigned>(std::countr_zero(starts))) - 1;
    if ((bytes.foreign & ours) != 0) return false;
    if (starts != 0) break;
  }
  return field == swf_fields;
}

/// Notes where each of the fields after the 18 begins.
bool SwfScanner::split_extra(std::string_view line) {
  const char* at = fields_.back();
  const char* const end = line.data() + line.size();
  for (const char*& field : extra_) {
    while (at < end && !is_separator(*at)) ++at;
    while (at < end && is_separator(*at)) ++at;
    if (at >= end) return false;
    field = at;
  }
  return true;
}

bool SwfScanner::read(SwfField field, SwfNumber& number) const {
  return parse(fields_[static_cast<std::size_t>(field)], number);
}

bool SwfScanner::read_extra(std::size_t field, SwfNumber& number) const {
  return parse_slowly(extra_[field], number);  // `parse` is inlined where it matters as long as that is one place
}

bool SwfScanner::read_extra(std::size_t field, std::vector<std::int64_t>& numbers) const {
  numbers.clear();
  const char* at = extra_[field];
  if (at[0] == '-' && at[1] == '1' && is_separator(at[2])) return true;
  while (true) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(at, buffer_.data() + buffer_.size(), number);
    if (error != std::errc{} || number < 0) return false;
    numbers.push_back(number);
    if (is_separator(*end)) return true;
    if (*end != ',') return false;
    at = end + 1;
  }
}

void SwfScanner::archive(Archive& archive) {
  std::uint64_t bytes = bytes_read_;
  std::uint64_t unread = end_ - begin_;
  bool at_end = at_end_;
  std::string checksum = checksum_.hex();
  archive(bytes, unread, at_end, checksum, line_number_, comments_);
  if (!archive.reading()) return;
  comment_bytes_ = 0;
  for (const std::string& comment : comments_) comment_bytes_ += comment.size();
  for (std::uint64_t before = bytes_read_ + 1; bytes_read_ < bytes && bytes_read_ != before;) {
    before = bytes_read_;
    begin_ = end_ - std::min<std::size_t>(end_ - begin_, unread);  // what was read before is not looked at again
    fill(bytes - bytes_read_);
  }
  if (bytes_read_ != bytes || unread > end_ || checksum_.hex() != checksum) {
    throw InputError("is not what it was when the state was saved; give the same workload");
  }
  begin_ = end_ - unread;
  at_end_ = at_end;
}

}  // namespace schedlab
