"""What comment lines of an SWF file become."""

from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.header import header_fields


def test_key_and_value_are_fields_and_repeated_keys_are_joined() -> None:
    fields = header_fields(["MaxProcs: 8", "Note: one", "  Note:two", "no field at all: 1", ""])
    assert fields == {"MaxProcs": "8", "Note": "one\ntwo"}


def test_an_address_on_a_line_of_its_own_is_no_field(tmp_path) -> None:
    """The logs of CTC and SDSC-SP2 have one; written, it was `http: //www...`, no address."""
    log = tmp_path / "a.swf"
    log.write_text(
        "; Information: http://www.example.org/log\n"
        ";   http://www.example.org/workload/\n"
        "1 0 0 5 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n"
    )
    reader = open_reader(log)
    tables = list(reader.tables())
    assert reader.header == {
        "Information": "http://www.example.org/log",
        "Comment": "http://www.example.org/workload/",
    }
    write_tables(tmp_path / "b.swf", tables, reader.header)
    assert (tmp_path / "b.swf").read_text().splitlines()[0] == (
        "; Information: http://www.example.org/log"
    )
    assert "http: //" not in (tmp_path / "b.swf").read_text()
