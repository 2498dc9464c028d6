#include "expression/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/digits.hpp"
#include "base/errors.hpp"

namespace schedlab {

namespace {

constexpr std::size_t most_bytes = 10'000;
constexpr std::size_t most_shown = 40;

// Not that of <cctype>, which asks the locale.
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void fail_at_character(std::size_t position, char c) {
  if (c <= ' ' || c > '~') {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    fail_at(position, std::string("unexpected byte 0x") + digits[byte >> 4U] + digits[byte & 15U] +
                          "; an expression is plain ASCII text");
  }
  constexpr std::array<std::pair<char, std::string_view>, 5> meant{
      {{'=', "=="}, {'!', "not"}, {'&', "and"}, {'|', "or"}, {'^', "**"}}};
  std::string hint;
  for (const auto& [other, ours] : meant) {
    if (c == other) hint = "; did you mean " + quoted(ours) + "?";
  }
  fail_at(position, "unexpected character " + quoted({&c, 1}) + hint);
}

/// Characters to add, drop, change or swap with a neighbour (optimal string alignment).
std::size_t edits_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t changed = from[i - 1] == to[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[to.size()];
}

/// The known name closest to this one, if it differs in at most a third of its characters.
std::string_view closest(std::string_view name, const std::vector<std::string>& known) {
  std::string_view found;
  if (name.size() > most_shown) return found;
  std::size_t fewest = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      found = candidate;
    }
  }
  return found;
}

}  // namespace

void fail_unknown(const char* kind, const Token& name, const std::vector<std::string>& known) {
  std::string message = std::string("unknown ") + kind + ' ' + quoted(name.text) + "; ";
  const std::string_view meant = closest(name.text, known);
  if (!meant.empty()) message += "did you mean " + quoted(meant) + "? ";
  message += "known: ";
  for (const std::string& each : known) message += each + ", ";
  if (known.empty()) message += "none, ";
  message.resize(message.size() - 2);
  fail_at(name.position, message);
}

void fail_at(std::size_t position, const std::string& message) {
  throw InputError("position " + std::to_string(position) + ": " + message);
}

std::string quoted(std::string_view text) {
  const bool cut = text.size() > most_shown;
  return '"' + std::string(text.substr(0, most_shown)) + (cut ? "...\"" : "\"");
}

Tokens::Tokens(std::string_view text) : text_(text) {
  if (text.size() > most_bytes) {
    fail_at(most_bytes + 1,
            "the expression is too long: " + std::to_string(text.size()) + " bytes, where at most 10,000 are allowed");
  }
  scan();
}

Token Tokens::take() {
  const Token taken = current_;
  scan();
  return taken;
}

void Tokens::accept(Token::Kind kind, std::size_t size) {
  current_ = {kind, text_.substr(next_, size), next_ + 1};
  next_ += size;
}

void Tokens::scan() {
  while (next_ < text_.size() && is_space(text_[next_])) ++next_;
  if (next_ == text_.size()) {
    accept(Token::Kind::end, 0);
  } else if (is_digit(peek(0)) || (peek(0) == '.' && is_digit(peek(1)))) {
    scan_number();
  } else if (starts_name(peek(0))) {
    scan_name();
  } else {
    scan_symbol();
  }
}

void Tokens::scan_number() {
  std::size_t size = 0;
  const auto pass_digits = [&] {
    while (is_digit(peek(size))) ++size;
  };
  pass_digits();
  if (peek(size) == '.') {
    ++size;
    pass_digits();
  }
  if (peek(size) == 'e' || peek(size) == 'E') {
    const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 1 : 0;
    if (is_digit(peek(size + 1 + sign))) {
      size += 1 + sign;
      pass_digits();
    }
  }
  if (continues_name(peek(size)) || peek(size) == '.') {
    while (continues_name(peek(size)) || peek(size) == '.') ++size;
    fail_at(next_ + 1, quoted(text_.substr(next_, size)) + " is not a number");
  }
  accept(Token::Kind::number, size);
  const std::string_view text = current_.text;
  if (std::from_chars(text.data(), text.data() + text.size(), current_.value).ec != std::errc{}) {
    fail_at(current_.position, quoted(text) + " is out of range: a number is at most about 1.8e308, at least 5e-324");
  }
}

void Tokens::scan_name() {
  std::size_t size = 0;
  while (continues_name(peek(size)) || (peek(size) == '.' && starts_name(peek(size + 1)))) ++size;
  accept(Token::Kind::name, size);
}

void Tokens::scan_symbol() {
  for (const std::string_view symbol : {"**", "//", "<=", ">=", "==", "!="}) {
    if (text_.substr(next_, 2) == symbol) return accept(Token::Kind::symbol, 2);
  }
  if (std::string_view("+-*/%<>()[],").find(peek(0)) == std::string_view::npos) fail_at_character(next_ + 1, peek(0));
  accept(Token::Kind::symbol, 1);
}

}  // namespace schedlab
