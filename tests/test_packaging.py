"""What is shipped with the package, and which versions of others it was tested with."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
DEFINITION = tomllib.loads((ROOT / "pyproject.toml").read_text())
BUILD_TOOLS = ("cmake", "ninja")
LINKED = {
    "nanobind": ["nanobind.txt"],
    "robin_map": ["robin-map.txt"],
    "-static-libstdc++": ["GPL-3.0.txt", "gcc-runtime-library-exception.txt"],
    "-static-libgcc": ["GPL-3.0.txt", "gcc-runtime-library-exception.txt"],
}
"""Texts for all that becomes a part of the engine."""


def words(text: str) -> list[str]:
    return re.sub(r"[/*]", " ", text).split()


def requirements() -> list[Requirement]:
    project = DEFINITION["project"]
    named = [*DEFINITION["build-system"]["requires"], *project["dependencies"], *BUILD_TOOLS]
    named += [one for extra in project["optional-dependencies"].values() for one in extra]
    return [one for one in map(Requirement, named) if one.name != "schedlab"]


def constraints() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def test_texts_of_all_that_is_linked_statically_are_shipped() -> None:
    for names in LINKED.values():
        for name in names:
            assert len((ROOT / "licenses" / name).read_text()) > 500
    listed = (ROOT / "licenses" / "README.md").read_text()
    shipped = {path.name for path in (ROOT / "licenses").iterdir()} - {"README.md"}
    assert shipped == {name for names in LINKED.values() for name in names}
    assert all(name in listed for name in shipped)


def test_nothing_else_is_linked_statically() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    assert set(re.findall(r"-static[\w+-]*", text)) == {"-static-libstdc++", "-static-libgcc"}
    assert re.findall(r"find_package\((\w+)", text) == ["Python", "nanobind"]
    assert not re.findall(r"FetchContent|ExternalProject|add_subdirectory", text)


def test_the_texts_are_those_of_the_installed_sources() -> None:
    installed = metadata.distribution("nanobind")
    (licence,) = (file for file in installed.files or () if file.name == "LICENSE")
    assert (ROOT / "licenses" / "nanobind.txt").read_text() == licence.read_text()
    (header,) = (file for file in installed.files or () if file.name == "robin_map.h")
    begin = words(str(header.read_text()).partition("*/")[0])
    assert begin == words((ROOT / "licenses" / "robin-map.txt").read_text())


def test_wheels_have_the_texts(tmp_path: Path, monkeypatch) -> None:
    """As the build backend writes the metadata of a wheel, without compiling anything."""
    from scikit_build_core.build import prepare_metadata_for_build_wheel

    monkeypatch.chdir(ROOT)
    folder = tmp_path / prepare_metadata_for_build_wheel(str(tmp_path))
    shipped = {path.name for path in folder.rglob("*") if path.is_file()}
    wanted = {path.name for path in (ROOT / "licenses").iterdir()} | {"LICENSE"}
    assert wanted <= shipped
    listed = metadata.PathDistribution(folder).metadata.get_all("License-File") or []
    assert {Path(name).name for name in listed} == wanted


def test_every_dependency_has_a_version_that_was_tested() -> None:
    tested = constraints()
    for one in requirements():
        name = canonicalize_name(one.name)
        assert name in tested, f"{name}: add the version that was tested to constraints.txt"
        assert one.specifier.contains(tested[name]), (
            f"{one}, but constraints.txt has {tested[name]}"
        )


def test_installed_versions_are_of_the_majors_that_were_tested() -> None:
    tested, other = constraints(), []
    for one in requirements():
        try:
            installed = Version(metadata.version(one.name))
        except metadata.PackageNotFoundError:
            continue  # an extra that this environment does not have
        wanted = tested[canonicalize_name(one.name)]
        if installed.major > wanted.major:
            other.append(f"{one.name} {installed} is installed, {wanted} was tested")
    assert not other, other


def test_make_installs_the_versions_that_were_tested() -> None:
    assert "export PIP_CONSTRAINT := constraints.txt\n" in (ROOT / "Makefile").read_text()


def test_the_page_on_security_names_files_that_are_there() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert "docs/reference/trust.md" in links
    assert all((ROOT / link).exists() for link in links if link != "docs/reference/trust.md")


def test_the_engine_is_built_with_protection() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    assert "-fstack-protector-strong" in text
    assert "-D_FORTIFY_SOURCE=2" in text
    assert "-Wl,-z,relro,-z,now" in text
    assert "PROTECT_STACK" in text  # or nanobind turns it off for the bindings
