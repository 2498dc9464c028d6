"""`schedlab workload clean`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner
from workload.cleaning.logs import jobs

from schedlab.cli import app
from schedlab.workload.formats import write_tables


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"user": place % 9, "submit": 7200 * min(place, 300)} for place in range(900)]
    for place in range(300, 700):
        rows[place] = {"user": 77, "submit": 7200 * 300 + 10 * (place - 300)}
    for place in range(700, 900):
        rows[place]["submit"] = 7200 * (place - 399)
    rows[5]["run"], rows[6]["run"], rows[7]["allocated_processors"] = -3, 0, 500
    write_tables("log.swf", [jobs(*rows)], {"MaxProcs": "64", "Computer": "Test"})
    return "log.swf"


def clean(*arguments):
    return CliRunner().invoke(app, ["workload", "clean", *arguments])


def test_says_what_went_and_why(log, tmp_path):
    done = clean(log, "clean.swf.gz", "--removed", "removed.csv")
    assert done.exit_code == 0, done.stderr
    for words in (
        ("impossible", "negative run time (it ends before it starts)", "1", "0.11%"),
        ("impossible", "more processors than the machine has", "1", "0.11%"),
        ("flurries", "flurry of user 77", "400", "44.44%"),
    ):
        assert any(all(word in line for word in words) for line in done.stdout.splitlines()), words
    assert "clean.swf.gz: 498 jobs; 402 of 900 went (44.67%)" in done.stdout
    assert "flurries are 44% of all jobs" in done.stderr
    assert len((tmp_path / "removed.csv").read_text().splitlines()) == 403


def test_nothing_is_written_if_the_list_cannot_be(log, tmp_path):
    assert clean(log, "clean.swf", "--removed", "none/removed.csv").exit_code != 0
    assert not (tmp_path / "clean.swf").exists()


def test_rules_can_be_left_out_added_and_given_arguments(log, tmp_path):
    (tmp_path / "own_rules.py").write_text(
        "import polars\nimport schedlab as sl\n\n"
        "class Sixes(sl.CleaningRule):\n"
        "    def find(self, jobs):\n"
        "        yield sl.Finding('user 6', polars.col('user') == 6)\n"
    )
    done = clean(
        log, "clean.swf", "--no-impossible", "--zero", "--json", "--processors", "600",
        "--rule", "flurries(jobs=500)", "--rule", "own_rules:Sixes", "--rule", "chosen(user=5)",
        "--rule", "chosen(user=4)",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert [rule["call"] for rule in facts["rules"]] == [
        "missing",
        "duplicates",
        "order(days=90)",
        "large(share=0.9, rare=0.001)",
        "flurries(factor=2, share=0.3, jobs=500, place=5)",
        "zero",
        "Sixes",
        "chosen(user=5)",
        "chosen(user=4)",
    ]
    assert {(reason["rule"], reason["reason"]): reason["jobs"] for reason in facts["reasons"]} == {
        ("zero", "run time 0"): 1,
        ("Sixes", "user 6"): 54,
        ("chosen", "chosen(user=5)"): 55,
        ("chosen", "chosen(user=4)"): 55,
    }
    assert (facts["rows"], facts["kept"], facts["removed"]) == (900, 735, 165)


def test_the_note_has_the_command(log, tmp_path):
    command = ["schedlab", "workload", "clean", log, "clean.swf", "--rule", "chosen(user=3)"]
    subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True, cwd=tmp_path)
    header = (tmp_path / "clean.swf").read_text()
    assert "; Note: CLEANED by: schedlab workload clean log.swf clean.swf --rule 'chosen(" in header


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.swf", "clean.swf"), "none.swf: no such file"),
        (("log.swf", "log.swf"), "log.swf: is the log itself"),
        (("log.swf", "clean.swf", "--removed", "log.swf"), "--removed log.swf: is the workload"),
        (("log.swf", "clean.swf", "--removed", "clean.swf"), "--removed clean.swf: is the work"),
        (("log.swf", "clean.xyz"), "clean.xyz: its name does not say which format"),
        (("log.swf", "clean.swf", "--rule", "fluries"), 'did you mean "flurries"'),
        (("log.swf", "clean.swf", "--processors", "0"), "--processors"),
    ],
)
def test_wrong_use_is_one_line_and_leaves_nothing(log, tmp_path, arguments, message):
    done = clean(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["log.swf"]
