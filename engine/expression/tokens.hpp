// The words of a score expression, one at a time. Only the expression's parser needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schedlab {

[[noreturn]] void fail_at(std::size_t position, const std::string& message);

/// In quotes, and cut where it is long.
std::string quoted(std::string_view text);

struct Token;
/// Says which names are known, and which of them may have been meant.
[[noreturn]] void fail_unknown(const char* kind, const Token& name, const std::vector<std::string>& known);

struct Token {
  enum class Kind : std::uint8_t { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t position = 1;  // counted from 1; everything before it is ASCII, so bytes are characters
  double value = 0.0;        // of a number
};

class Tokens {
 public:
  explicit Tokens(std::string_view text);

  [[nodiscard]] const Token& current() const { return current_; }
  /// Whether the current token is this symbol or name.
  [[nodiscard]] bool at(std::string_view text) const { return current_.text == text; }
  [[nodiscard]] bool at_end() const { return current_.kind == Token::Kind::end; }
  /// The current token; the next one becomes current.
  Token take();

 private:
  void scan();
  void scan_number();
  void scan_name();
  void scan_symbol();
  [[nodiscard]] char peek(std::size_t ahead) const {
    return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0';
  }
  void accept(Token::Kind kind, std::size_t size);

  std::string_view text_;
  std::size_t next_ = 0;
  Token current_;
};

}  // namespace schedlab
