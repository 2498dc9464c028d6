// The table of orders, as Python reads it.
#include "dispatch/orders.hpp"

#include <string_view>

#include "bindings/bindings.hpp"

namespace schedlab::bindings {

namespace {

nb::list orders() {
  const auto text = [](std::string_view view) { return nb::str(view.data(), view.size()); };
  nb::list rows;
  for (const NamedOrder& order : named_orders()) {
    rows.append(nb::make_tuple(text(order.name), text(order.other_names), text(order.first), text(order.reads),
                               text(order.score)));
  }
  return rows;
}

}  // namespace

void bind_orders(nb::module_& module) {
  module.def("orders", &orders, nb::sig("def orders() -> list[tuple[str, str, str, str, str]]"),
             "The orders that have a name: other names for each, with blanks between them; which job is first, the one "
             "with ...; an attribute of jobs that it reads; the score expression that it is.");
}

}  // namespace schedlab::bindings
