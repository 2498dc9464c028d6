"""Models and settings as files: they come back as they were, and wrong ones say where."""

from __future__ import annotations

import json

import pytest
from workload.models.scsf.rows import log

from schedlab.errors import InputError
from schedlab.workload.models.scsf import GenerationSettings, WorkloadModel


@pytest.mark.parametrize("joint", ["independent", "size", "jobs"])
@pytest.mark.parametrize("arrivals", ["independent", "weekly"])
def test_a_saved_model_generates_the_same(tmp_path, joint, arrivals):
    model = WorkloadModel.fit(log(), cores_per_node=4, joint=joint, arrivals=arrivals)
    path = tmp_path / "model.json"
    model.save(path)
    again = WorkloadModel.load(path)
    assert again.source == model.source
    one, other = (m.generate("a", jobs=9000).table() for m in (model, again))
    assert one.equals(other)
    again.save(tmp_path / "again.json")
    assert path.read_bytes() == (tmp_path / "again.json").read_bytes()


def test_a_line_per_variable(tmp_path):
    path = tmp_path / "model.json"
    WorkloadModel.fit(log(), cores_per_node=4, bins={"accuracy": 0.01}).save(path)
    lines = path.read_text().splitlines()
    (cores,) = [line for line in lines if line.startswith('  "cores"')]
    assert '"bin_size": 4, "value": "upper", "upper_edges": [4, 8, 16, 32, 64]' in cores
    assert sum(len(line) > 100 for line in lines) <= 7
    assert "0.57," in path.read_text()  # not 0.5700000000000001


def changed(path, change):
    """Saves a model with something changed, and returns the message of loading it."""
    model = WorkloadModel.fit(log(), cores_per_node=4, joint="size", arrivals="weekly")
    model.save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        WorkloadModel.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("schedlab_workload_model"), "is not what schedlab workload model writes"),
        (lambda c: c.update(schedlab_workload_model=9), "schedlab_workload_model: this version"),
        (lambda c: c.update(extra=1), "extra: unknown key"),
        (lambda c: c.update(joint="all"), "joint: must be one of"),
        (lambda c: c.pop("arrivals"), "arrivals: must be one of"),
        (lambda c: c.pop("variables"), "variables: is missing"),
        (lambda c: c["variables"].pop("run"), "variables.run: is missing"),
        (lambda c: c["variables"].update(size={}), "variables.size: unknown"),
        (lambda c: c["variables"]["run"].pop("counts"), "variables.run.counts: is missing or"),
        (lambda c: c["variables"]["run"]["counts"].pop(), "variables.run.counts: must be as many"),
        (lambda c: c["variables"]["run"].update(bin_size=0), "variables.run.bin_size: must be"),
        (lambda c: c["variables"]["run"].update(bin_size=True), "variables.run.bin_size: must"),
        (lambda c: c["variables"]["run"].update(bin_size=7), "variables.run.upper_edges: 60 is"),
        (lambda c: c["variables"]["run"].update(value="low"), "variables.run.value: must be one"),
        (lambda c: c["variables"]["run"]["upper_edges"].reverse(), "variables.run.upper_edges: mu"),
        (lambda c: c["variables"]["run"]["counts"].__setitem__(0, -1), "variables.run.counts: num"),
        (lambda c: c["variables"]["run"]["counts"].__setitem__(0, 0), "variables.run.counts: must"),
        (lambda c: c["variables"]["run"]["counts"].__setitem__(0, 0.5), "variables.run.counts: mu"),
        (lambda c: c["variables"]["run"]["counts"].__setitem__(0, "3"), "variables.run.counts: mu"),
        (
            lambda c: c["variables"]["run"]["counts"].__setitem__(0, 1e300),
            "variables.run.counts: n",
        ),
        (lambda c: c["variables"].update(run=[]), "variables.run: must be an object"),
        (lambda c: c.update(week=[1, 2]), "week: must be 168 numbers"),
        (lambda c: c.pop("classes"), "classes: is missing"),
        (lambda c: c["classes"].pop(), "classes: reach up to 32 cores"),
        (lambda c: c["classes"][1].update(largest=1), r"classes[1].largest: must ascend"),
        (lambda c: c["classes"][1].pop("run"), "classes[1].run: is missing"),
        (lambda c: c.update(joint="jobs"), "jobs: is missing"),
        (lambda c: c.update(joint="jobs", jobs={"cores": [4]}), "jobs.requested: is missing"),
        (lambda c: c.update(source={"header": {"MaxProcs": 3}}), "source.header.MaxProcs: must"),
    ],
)
def test_wrong_models_say_where(tmp_path, change, message):
    assert changed(tmp_path / "model.json", change).startswith(message)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}', b"\x00" * 99]
)
def test_no_models_at_all(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    for load in (WorkloadModel.load, GenerationSettings.load):
        with pytest.raises(InputError, match=r"model\.json(:1)?: is n"):
            load(path)
    with pytest.raises(InputError, match="no such file"):
        WorkloadModel.load(tmp_path / "none")
    with pytest.raises(InputError, match="is a directory"):
        WorkloadModel.load(tmp_path)


def test_truncated_models(tmp_path):
    path = tmp_path / "model.json"
    WorkloadModel.fit(log(200)).save(path)
    content = path.read_bytes()
    for size in range(0, len(content) - 2, len(content) // 25):
        path.write_bytes(content[:size])
        with pytest.raises(InputError, match="is not a JSON file"):
            WorkloadModel.load(path)


def test_settings_come_back(tmp_path):
    path = tmp_path / "settings.json"
    given = GenerationSettings(processors=64, pressure_low=0.95, fill_wait=7200, drain=60)
    given.save(path)
    assert GenerationSettings.load(path) == given
    assert json.loads(path.read_text()) == {
        "schedlab_generation_settings": 1,
        "drain": 60,
        "processors": 64,
        "pressure_low": 0.95,
        "fill_wait": 7200,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"procesors": 3}, "procesors: is not a setting"),
        ({"processors": 0}, "processors: must be above 0, not 0"),
        ({"processors": 1.5}, "processors: must be a whole number"),
        ({"drain": None}, "drain: must be a number"),
        ({"drain": -1}, "drain: must be 0 or more"),
        ({"duration": True}, "duration: must be a number"),
        ({"pressure_low": 1.0}, "pressure_low: needs the processors"),
        ({"fill_wait": 60}, "fill_wait: needs the processors"),
        ({"most_work": 60}, "most_work: needs the processors"),
        ({"pressure_high": 1.0}, "pressure_high: needs pressure_low"),
        ({"processors": 4, "pressure_low": 1, "pressure_high": 0.5}, "pressure: its high end, 0.5"),
        ({"jobs": 5, "duration": 60}, "jobs: goes without duration"),
        ({"run_times": "exact"}, "run_times: must be one of"),
        ({"insertions": []}, "insertions: cannot be in a file"),
    ],
)
def test_wrong_settings(tmp_path, given, message):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"schedlab_generation_settings": 1, **given}))
    with pytest.raises(InputError, match=message):
        GenerationSettings.load(path)
