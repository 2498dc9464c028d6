"""A mutation sweep over the engine: which small mistakes in its sources would no test see?

    python -m mutation build                      # with PYTHONPATH=tests
    python -m mutation sweep dispatch --most 40   # a line for each mutant, then a table by file
    python -m mutation sweep dispatch --again     # only what survived the last time

It is not part of CI. It needs tree-sitter and tree-sitter-cpp besides what tests need.

All mutants are compiled into one engine, each under a test of its number (mutant schemata: Untch,
Offutt and Harrold 1993), so that one build serves all. The tests of an area run once without a
mutant, to see which test reaches which; then for each mutant of the area those that reach it run,
quickest first, until one fails. `equivalent.toml` has those that no test can distinguish from
the original, with the reason.
"""
