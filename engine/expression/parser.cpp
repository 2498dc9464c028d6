// Text to tree, by recursive descent: a function per level of the grammar, one for all binary operators.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "expression/tokens.hpp"
#include "expression/tree.hpp"

namespace schedlab {

namespace {

constexpr int most_nesting = 100;
constexpr std::size_t most_operations = 1'000;

struct BinaryOperator {
  std::string_view text;
  int level;  // higher binds tighter
  Operation operation;
};

constexpr int or_level = 1;
constexpr int not_level = 3;
constexpr int comparison_level = 4;

constexpr std::array<BinaryOperator, 14> binary_operators{{{"or", or_level, Operation::logical_or},
                                                           {"and", 2, Operation::logical_and},
                                                           {"<", comparison_level, Operation::less},
                                                           {"<=", comparison_level, Operation::less_equal},
                                                           {">", comparison_level, Operation::greater},
                                                           {">=", comparison_level, Operation::greater_equal},
                                                           {"==", comparison_level, Operation::equal},
                                                           {"!=", comparison_level, Operation::not_equal},
                                                           {"+", 5, Operation::add},
                                                           {"-", 5, Operation::subtract},
                                                           {"*", 6, Operation::multiply},
                                                           {"/", 6, Operation::divide},
                                                           {"//", 6, Operation::floor_divide},
                                                           {"%", 6, Operation::remainder}}};

struct Function {
  std::string_view name;
  std::size_t arguments;  // 0: one or more
  Operation operation;
};

constexpr std::array<Function, 12> functions{{{"min", 0, Operation::min},
                                              {"max", 0, Operation::max},
                                              {"log", 1, Operation::log},
                                              {"log2", 1, Operation::log2},
                                              {"log10", 1, Operation::log10},
                                              {"sqrt", 1, Operation::sqrt},
                                              {"exp", 1, Operation::exp},
                                              {"abs", 1, Operation::abs},
                                              {"floor", 1, Operation::floor},
                                              {"ceil", 1, Operation::ceil},
                                              {"pow", 2, Operation::power},
                                              {"if", 3, Operation::choose}}};

constexpr std::array<std::string_view, 5> keywords{"and", "or", "not", "if", "else"};

/// Python's words for other values and operators: never a job's attribute, or `x if True else y` would be accepted.
constexpr std::array<std::string_view, 6> python_words{"True", "False", "None", "in", "is", "lambda"};

const BinaryOperator* binary_operator(const Token& token) {
  const auto* found = std::find_if(binary_operators.begin(), binary_operators.end(),
                                   [&](const auto& o) { return o.text == token.text; });
  return found == binary_operators.end() ? nullptr : found;
}

const Function* function_named(std::string_view name) {
  const auto* found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == name; });
  return found == functions.end() ? nullptr : found;
}

template <class Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(range.begin(), range.end(), name) != range.end();
}

std::string described(const Token& token) { return token.kind == Token::Kind::end ? "the end" : quoted(token.text); }

class Parser {
 public:
  Parser(std::string_view text, ExpressionNames& names, bool open) : tokens_(text), names_(names), open_(open) {}

  ExpressionTree parse() {
    if (tokens_.at_end()) fail_at(1, "the expression is empty");
    tree_.root = conditional();
    if (!tokens_.at_end()) {
      fail_here("unexpected " + described(tokens_.current()) + " after the end of the expression");
    }
    return std::move(tree_);
  }

 private:
  using Node = std::uint32_t;

  /// One level of nesting, while it lives: what bounds the recursion.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser.nesting_ > most_nesting) parser.fail_here("the expression is nested more than 100 levels deep");
    }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --parser_.nesting_; }

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail_here(const std::string& message) const { fail_at(tokens_.current().position, message); }

  Node counted(Node node) {
    if (tree_.operations > most_operations) fail_here("the expression has more than 1,000 operations");
    return node;
  }

  Node conditional() {
    const Nested nested(*this);
    const Node value = binary(or_level);
    if (!tokens_.at("if")) return value;
    const Token start = tokens_.take();
    const Node condition = binary(or_level);
    if (!tokens_.at("else")) {
      fail_here("expected \"else\" for the \"if\" at position " + std::to_string(start.position) + ", not " +
                described(tokens_.current()));
    }
    tokens_.take();
    return counted(tree_.operation(Operation::choose, {condition, value, conditional()}));
  }

  /// Operands joined by operators of this level or a higher one.
  Node binary(int lowest) {
    Node left = lowest <= not_level && tokens_.at("not") ? negation() : prefixed();
    bool compared = false;
    while (const BinaryOperator* found = binary_operator(tokens_.current())) {
      if (found->level < lowest) break;
      if (compared && found->level == comparison_level) {
        fail_here("comparisons cannot be chained; instead of a < b < c write a < b and b < c");
      }
      compared = found->level == comparison_level;
      tokens_.take();
      left = counted(tree_.operation(found->operation, {left, binary(found->level + 1)}));
    }
    return left;
  }

  Node negation() {
    const Nested nested(*this);
    tokens_.take();
    const Node operand = tokens_.at("not") ? negation() : binary(comparison_level);
    return counted(tree_.operation(Operation::logical_not, {operand}));
  }

  Node prefixed() {
    if (!tokens_.at("+") && !tokens_.at("-")) return power();
    const Nested nested(*this);
    const bool negative = tokens_.take().text == "-";
    const Node operand = prefixed();
    return negative ? counted(tree_.operation(Operation::negate, {operand})) : operand;
  }

  Node power() {
    const Node base = value();
    if (!tokens_.at("**")) return base;
    const Nested nested(*this);
    tokens_.take();
    return counted(tree_.power(base, prefixed()));
  }

  Node value() {
    if (tokens_.current().kind == Token::Kind::number) return tree_.constant(tokens_.take().value);
    if (tokens_.at("(")) {
      const Token bracket = tokens_.take();
      const Node inner = conditional();
      close(bracket, ")");
      return inner;
    }
    const bool keyword = contains(keywords, tokens_.current().text);
    if (tokens_.current().kind != Token::Kind::name || (keyword && !tokens_.at("if"))) fail_expecting_value();
    const Token name = tokens_.take();
    if (tokens_.at("(")) return call(name);
    if (keyword) fail_at(name.position, "expected a value, not \"if\"; write a if c else b, or if(c, a, b)");
    return tokens_.at("[") ? lookup(name) : variable(name);
  }

  [[noreturn]] void fail_expecting_value() const {
    if (tokens_.at("not")) fail_here("expected a value, not \"not\"; put not ... in brackets here");
    fail_here("expected a value, not " + described(tokens_.current()));
  }

  void close(const Token& bracket, std::string_view closing) {
    if (!tokens_.at(closing)) {
      fail_here("expected " + quoted(closing) + " for the " + quoted(bracket.text) + " at position " +
                std::to_string(bracket.position) + ", not " + described(tokens_.current()));
    }
    tokens_.take();
  }

  Node call(const Token& name) {
    const Function* function = function_named(name.text);
    if (function == nullptr) fail_function(name);
    const Token bracket = tokens_.take();
    std::vector<Node> arguments;
    if (!tokens_.at(")")) arguments.push_back(conditional());
    while (tokens_.at(",")) {
      tokens_.take();
      arguments.push_back(conditional());
    }
    close(bracket, ")");
    check_count(name, *function, arguments.size());
    if (function->operation == Operation::power) return counted(tree_.power(arguments[0], arguments[1]));
    if (function->arguments == 1) return counted(tree_.operation(function->operation, {arguments[0]}));
    if (function->arguments == 3) {
      return counted(tree_.operation(function->operation, {arguments[0], arguments[1], arguments[2]}));
    }
    return std::accumulate(arguments.begin() + 1, arguments.end(), arguments[0], [&](Node left, Node right) {
      return counted(tree_.operation(function->operation, {left, right}));
    });
  }

  static void check_count(const Token& name, const Function& function, std::size_t given) {
    if (function.arguments == 0 ? given > 0 : given == function.arguments) return;
    const std::string wanted = function.arguments == 0   ? "1 or more arguments"
                               : function.arguments == 1 ? "1 argument"
                                                         : std::to_string(function.arguments) + " arguments";
    fail_at(name.position, std::string(name.text) + " takes " + wanted + ", not " + std::to_string(given));
  }

  Node variable(const Token& name) {
    const auto found = std::find(names_.variables.begin(), names_.variables.end(), name.text);
    if (found == names_.variables.end()) {
      if (contains(names_.tables, name.text)) {
        fail_at(name.position, quoted(name.text) + " is a table; write " + std::string(name.text) + "[key]");
      }
      if (function_named(name.text) != nullptr) {
        fail_at(name.position, quoted(name.text) + " is a function; write " + std::string(name.text) + "(...)");
      }
      const bool attribute = name.text.find('.') == std::string_view::npos && !contains(python_words, name.text);
      if (!open_ || !attribute) fail_unknown("name", name, names_.variables);
      names_.variables.emplace_back(name.text);
      return tree_.variable(static_cast<std::uint32_t>(names_.variables.size() - 1));
    }
    return tree_.variable(static_cast<std::uint32_t>(found - names_.variables.begin()));
  }

  Node lookup(const Token& name) {
    const auto found = std::find(names_.tables.begin(), names_.tables.end(), name.text);
    if (found == names_.tables.end()) {
      if (contains(names_.variables, name.text)) {
        fail_at(name.position, quoted(name.text) + " is a number, not a table");
      }
      fail_unknown("table", name, names_.tables);
    }
    const Token bracket = tokens_.take();
    const Node key = conditional();
    close(bracket, "]");
    return counted(tree_.lookup(static_cast<std::uint32_t>(found - names_.tables.begin()), key));
  }

  [[noreturn]] void fail_function(const Token& name) const {
    if (contains(names_.variables, name.text)) {
      fail_at(name.position, quoted(name.text) + " is a number, not a function");
    }
    if (contains(names_.tables, name.text)) {
      fail_at(name.position, quoted(name.text) + " is a table; write " + std::string(name.text) + "[key]");
    }
    std::vector<std::string> known(functions.size());
    std::transform(functions.begin(), functions.end(), known.begin(),
                   [](const Function& function) { return std::string(function.name); });
    fail_unknown("function", name, known);
  }

  Tokens tokens_;
  ExpressionNames& names_;
  bool open_;
  ExpressionTree tree_;
  int nesting_ = -1;  // the whole expression is not a level
};

}  // namespace

ExpressionTree parse_expression(std::string_view text, ExpressionNames& names, bool open) {
  return Parser(text, names, open).parse();
}

}  // namespace schedlab
