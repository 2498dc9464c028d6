"""The page: everything in it, nothing from outside, whatever the runs are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import schedlab as sl
from schedlab.durations import duration_text
from schedlab.report import write_report
from schedlab.report.commands import compare_command, run_command
from schedlab.report.figures import inline, own_ids

MACHINE = {"name": "four <nodes> & more", "groups": {"n": {"nodes": 4, "resources": {"core": 4}}}}
JOBS = [sl.Job(i, submit=5 * i, run=30 + i % 7, processors=1 + 3 * (i % 4)) for i in range(60)]
PLOTS = ["slowdown", "wait-cdf"]
VOID = {"meta", "link", "img", "br", "line", "circle"}


class Page(HTMLParser):
    """Every element closed, in order; texts, ids and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.loads: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        for name in ("src", "href", "xlink:href"):
            if name in given:
                self.loads.append(given[name])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if tag not in VOID:
            self.handle_starttag(tag, attributes)
            self.open.pop()
        else:
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page_of(runs, path, **options) -> Page:
    write_report(runs, path, **options)
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {
        name: sl.simulate(JOBS, system=MACHINE, scheduler=name, out=folder / name, timeline="csv")
        for name in ("fifo", "easy")
    }


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment")
    _write_workload(folder / "w.swf")
    (folder / "m.toml").write_text('name = "m"\n[groups.n]\nnodes = 4\nresources = {core = 4}\n')
    return sl.Experiment(
        folder / "out",
        workloads=[str(folder / "w.swf")],
        systems=[str(folder / "m.toml")],
        schedulers=["fifo", "easy"],
        allocators=["first-fit", "random"],
        repeat=2,
    ).run()


def _write_workload(path):
    rows = [
        f"{i} {5 * i} -1 {30 + i % 7} 1 -1 -1 {1 + 3 * (i % 4)} 60 -1 1 1 -1 -1 -1 -1 -1 -1"
        for i in range(1, 61)
    ]
    path.write_text("\n".join(rows) + "\n")


def test_page_of_an_experiment_has_everything(comparison, tmp_path):
    page = page_of(comparison, tmp_path / "report.html", plots=PLOTS)
    for word in ("Numbers", "Differences", "Figures", "What was run", "How to do it again"):
        assert word in page.text
    for label in comparison.labels.values():
        assert label in page.text
    for sentence in comparison.sentences():
        assert sentence in page.text
    checksum = comparison.groups[0].results[0].run["workload"]["checksum"]
    assert checksum in page.text
    assert "block bootstrap" in page.text
    assert "★" in page.text


def test_nothing_comes_from_outside(comparison, tmp_path):
    page = page_of(comparison, tmp_path / "report.html", plots=PLOTS)
    assert all(load.startswith(("#", "data:")) for load in page.loads)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"@import|url\((?!#)", text)
    assert "<script" not in text


def test_ids_are_unique_and_references_meet_them(comparison, tmp_path):
    page = page_of(comparison, tmp_path / "report.html", plots=PLOTS)
    assert len(page.ids) == len(set(page.ids))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    references = {load[1:] for load in page.loads if load.startswith("#")}
    references |= set(re.findall(r"url\(#([^)]+)\)", text))
    assert references <= set(page.ids)


def test_names_cannot_break_the_page(results, tmp_path):
    page = page_of({"<b>& fifo": results["fifo"]}, tmp_path / "r.html", plots=["slowdown"])
    assert "<b>& fifo" in page.text
    assert "four <nodes> & more" in page.text


def test_all_figures_by_default(results, tmp_path):
    page = page_of(results["easy"], tmp_path / "r.html")
    from schedlab.analysis.plots import PLOTS as ALL
    from schedlab.analysis.plots import plot_named
    from schedlab.analysis.plots.runs.needs import KINDS

    special = [name for name in ALL if any(n in KINDS for n in plot_named(name).needs)]
    assert 10 < len(special) < len(ALL)  # of platforms and networks
    for name in special:  # nothing is said of what the machine cannot have
        assert f"({name})" not in page.text.replace("( ", "(").replace(" )", ")")
    for name in (name for name in ALL if name not in special):
        is_drawn = f"({name})" in page.text.replace("( ", "(").replace(" )", ")")
        assert is_drawn == (name != "load-per-minute")  # of minutes of a day that is not over
    assert "load-per-minute (the runs are shorter than 2 days)" in page.text


def test_figures_by_size(tmp_path):
    from schedlab.analysis.groups import groups_of
    from schedlab.report.figures import drawable

    def run(jobs):
        every = [sl.Job(i, submit=60 * i, run=5, processors=1) for i in range(jobs)]
        return sl.simulate(every, system=MACHINE, timeline="csv")

    few, some, many = run(20), run(3000), run(20_001)
    shown = [set(drawable(groups_of(result))) for result in (few, some, many)]
    assert shown[1] - shown[0] == {"wait-heatmap", "slowdown-by-size", "load-per-minute"}
    assert shown[1] - shown[2] == {"gantt"}
    page = page_of(few, tmp_path / "few.html", plots=["wait-heatmap"])  # asked for, so drawn
    assert "Median wait by size and estimate" in page.text
    assert "Left out" not in page.text
    large = tmp_path / "many.html"
    assert "gantt (20,001 jobs are more than 20,000)" in page_of(many, large).text


def test_maxima_and_who_waits(tmp_path):
    rows = "".join(
        f"{i} {i} -1 {20 + i % 9} 4 -1 -1 4 60 -1 1 {i % 13} 1 1 {1 + i % 2} {i % 3} -1 -1\n"
        for i in range(1, 201)
    )
    (tmp_path / "w.swf").write_text(rows)
    runs = {
        name: sl.simulate(tmp_path / "w.swf", system=MACHINE, scheduler=name, out=tmp_path / name)
        for name in ("easy", "sjf")
    }
    page = page_of(runs, tmp_path / "r.html", plots=[])
    assert "max wait" in page.text
    assert "max bounded slowdown" in page.text
    assert "By user: the 10 with the most jobs, of 13" in page.text
    jobs = runs["sjf"].jobs.collect()
    queue = jobs.filter(jobs["job_id"] % 2 == 1)["wait"]  # 1 + i % 2 is 2 for those
    table = page.text.partition("By queue")[2].partition("By partition")[0]
    assert duration_text(queue.mean()) in table
    assert duration_text(queue.max()) in table
    (tmp_path / "w.swf").unlink()  # queues and partitions are not known any more, users are
    text = page_of(runs, tmp_path / "r.html", plots=[]).text
    assert "By user" in text
    assert "By queue" not in text


def test_changes_beyond_the_edge_are_marked(tmp_path):
    from schedlab.report.comparisons import _bar, _percent

    row = {"change": 3.4, "change_low": 1.2, "change_high": 9.0}
    bar = _bar(row, 1.5)
    assert bar.count('class="beyond"') == 1
    assert "+340 %" in bar
    assert "<circle" not in bar
    wide = _bar({"change": 0.6, "change_low": -0.1, "change_high": 2.4}, 1.5)
    assert wide.count('class="beyond"') == 1  # the interval continues, the value does not
    assert "+240 %" in wide
    assert "<circle" in wide
    inside = _bar({"change": -0.4, "change_low": -0.5, "change_high": -0.3}, 1.5)
    assert "beyond" not in inside
    texts = [_percent(value) for value in (0.1, 99.9, 123.45, 5e6, -0.99)]
    assert texts == ["+10 %", "+9,990 %", "+12.3k %", "+500M %", "-99 %"]


def test_figures_that_lack_a_table_are_left_out_and_named(tmp_path):
    run = sl.simulate(JOBS, system=MACHINE, out=tmp_path / "run")
    page = page_of(run, tmp_path / "r.html")
    assert "Figures that need the timeline are left out" in page.text
    assert "wait-cdf" in page.text
    assert "queue-size" not in page.text


@pytest.mark.parametrize("jobs", [[], JOBS[:1]], ids=["none", "one"])
def test_no_job_and_one_job(jobs, tmp_path):
    run = sl.simulate(jobs, system=MACHINE, out=tmp_path / "run", timeline="csv")
    page = page_of(run, tmp_path / "r.html")
    assert "What was run" in page.text


def test_the_best_is_marked_only_where_values_differ(results, tmp_path):
    write_report(results, tmp_path / "r.html", plots=[])
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', text)
    heads = re.findall(r'<th scope="col">([^<]+)</th>', text)[1:]
    marked = {}
    second = heads.index("dispatcher")  # there are two tables
    for some, titles in ((rows[:2], heads[:second]), (rows[2:4], heads[second + 1 :])):
        for name, cells in some:
            for head, cell in zip(titles, re.findall(r"<td.*?</td>", cells), strict=True):
                if "best" in cell:
                    marked.setdefault(head, []).append(name)
    waits = {name: result.metrics["wait"]["mean"] for name, result in results.items()}
    assert marked["mean wait"] == [min(waits, key=waits.get)]
    medians = {result.metrics["wait"]["median"] for result in results.values()}
    assert ("median wait" in marked) == (len(medians) > 1)


def test_each_workload_and_system_has_a_table_and_a_best_of_its_own(tmp_path):
    _write_workload(tmp_path / "w.swf")
    for name, nodes in (("small", 4), ("large", 40)):
        text = f'name = "m"\n[groups.n]\nnodes = {nodes}\nresources = {{core = 4}}\n'
        (tmp_path / f"{name}.toml").write_text(text)
    comparison = sl.Experiment(
        tmp_path / "out",
        workloads=[str(tmp_path / "w.swf")],
        systems=[str(tmp_path / "small.toml"), str(tmp_path / "large.toml")],
        schedulers=["fifo", "easy"],
        timeline="none",
    ).run()
    page = page_of(comparison, tmp_path / "r.html", plots=[])
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    tables = re.findall(r'<table class="numbers">.*?</table>', text, re.DOTALL)
    assert len(tables) == 4  # of waits and of the machine, for each system
    assert "★" in tables[0]  # on the large machine nobody waits, and all waits are the same
    assert "2 dispatchers: w.swf on m" in page.text
    assert page.text.count(" blocks of ") == 2


def test_same_runs_same_bytes(results, tmp_path):
    for name in ("a.html", "b.html"):
        write_report(results, tmp_path / name, plots=PLOTS)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_command_repeats_the_experiment(comparison, tmp_path):
    command = compare_command(comparison.description, comparison.path, "again")
    words = command.replace("\\\n", " ").split()
    assert words[:2] == ["schedlab", "compare"]
    assert words[words.index("--schedulers") + 1] == "fifo,easy"
    assert words[words.index("--allocators") + 1] == "first-fit,random"
    assert words[words.index("--repeat") + 1] == "2"
    assert all(len(line) < 200 for line in command.splitlines())


def test_command_repeats_a_run(results):
    run = results["easy"].run
    command = run_command(run, "here", "somewhere")
    assert command.startswith("schedlab run here/run.json")  # whose jobs and machine have no file
    assert command.endswith("--out somewhere")
    command = run_command({**run, "spec": {**run["spec"], "system": "m.toml"}}, "", "somewhere")
    assert "--scheduler easy --allocator first-fit" in command
    assert command.endswith("--out somewhere")


def test_wrong_use_is_refused(results, tmp_path):
    with pytest.raises(sl.InputError, match="no folder"):
        write_report(results, tmp_path / "missing" / "r.html")
    with pytest.raises(sl.InputError, match="nonsense"):
        write_report(results, tmp_path / "r.html", plots=["nonsense"])
    assert not list(tmp_path.glob("r.html*"))


def test_progress_is_reported(results, tmp_path):
    steps = []
    write_report(results, tmp_path / "r.html", plots=PLOTS, progress=lambda *s: steps.append(s))
    assert steps == [(0, 2, "slowdown"), (1, 2, "wait-cdf")]


def test_pictures_keep_their_ids_apart():
    svg = '<?xml version="1.0"?><svg width="5pt" height="4pt" viewBox="0 0 5 4">'
    svg += "<metadata>m</metadata>"
    svg += '<path id="p" clip-path="url(#c)"/><use xlink:href="#p"/></svg>'
    done = own_ids(inline(svg, 'a "title"'), "x-")
    assert done.startswith('<svg viewBox="0 0 5 4" role="img" aria-label="a &quot;title&quot;">')
    assert 'id="x-p" clip-path="url(#x-c)"' in done
    assert 'href="#x-p"' in done
    assert "metadata" not in done


def test_power_caps_and_failures_have_a_section_where_runs_have_them(tmp_path):
    from analysis.platform_runs import CONDITIONS, run_of, with_failures

    run_of(tmp_path / "run", count=40, conditions={**CONDITIONS, "price": 0.2})
    result = with_failures(tmp_path / "run")
    write_report(result, tmp_path / "a.html", plots=["energy", "node-hours", "slowdown"])
    page = Page((tmp_path / "a.html").read_text())
    assert {"machine", "figures"} <= set(page.ids)
    for text in ("Power and failures", "energy-delay product", "starts refused", "jobs given up"):
        assert text in page.text
    place = page.text.index
    assert place("Energy by dispatcher") < place("What became of the node-hours")
    assert place("What became of the node-hours") < place("Slowdown of jobs")
    sl.simulate(JOBS, system=MACHINE, out=tmp_path / "plain")
    write_report(tmp_path / "plain", tmp_path / "b.html", plots=PLOTS)
    assert "machine" not in Page((tmp_path / "b.html").read_text()).ids


def test_figures_of_power_are_drawn_where_all_runs_have_it(tmp_path):
    from analysis.platform_runs import run_of

    from schedlab.analysis import groups_of
    from schedlab.report.figures import drawable

    platform = run_of(tmp_path / "a", count=5)
    plain = sl.simulate(JOBS, system=MACHINE, timeline="csv", out=tmp_path / "b")
    assert {"power", "energy", "clock", "speed", "speed-map"} <= set(drawable(groups_of(platform)))
    assert "failures" not in drawable(groups_of(platform))
    assert not {"power", "speed"} & set(drawable(groups_of([platform, plain])))
