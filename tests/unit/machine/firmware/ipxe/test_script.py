"""A script's text is cut into lines, labels and commands."""

from __future__ import annotations

import pytest

from ingot.machine.firmware.ipxe.script import Joint, NotAScript, Script, Step, steps_of


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("", [(Joint.START, ())]),
        ("boot", [(Joint.START, ("boot",))]),
        ("a b || c", [(Joint.START, ("a", "b")), (Joint.FAILURE, ("c",))]),
        (
            "iseq 1 2 && goto x ||",
            [
                (Joint.START, ("iseq", "1", "2")),
                (Joint.SUCCESS, ("goto", "x")),
                (Joint.FAILURE, ()),
            ],
        ),
        ("a ; b", [(Joint.START, ("a",)), (Joint.ALWAYS, ("b",))]),
        ("a # b || c", [(Joint.START, ("a",))]),
        ("chain x | goto y", [(Joint.START, ("chain", "x", "|", "goto", "y"))]),
        ('k sshkey="a b"', [(Joint.START, ("k", 'sshkey="a', 'b"'))]),
        ("\ta \t b ", [(Joint.START, ("a", "b"))]),
    ],
)
def test_line_is_cut_into_commands(line: str, steps: list[tuple[Joint, tuple[str, ...]]]) -> None:
    assert list(steps_of(line)) == [Step(joint, words) for joint, words in steps]


@pytest.mark.parametrize("line", [":label", "#!ipxe", "# a comment || boot"])
def test_labels_and_comments_do_nothing(line: str) -> None:
    assert list(steps_of(line)) == []


def test_line_goes_on_after_a_backslash() -> None:
    script = Script.parse(b"#!ipxe\nkernel a \\\n b\nboot\n", "http://x/")
    assert script.lines == ("#!ipxe", "kernel a  b", "boot")


def test_lines_may_end_as_on_windows() -> None:
    assert Script.parse(b"#!ipxe\r\nboot\r\n", "http://x/").lines == ("#!ipxe", "boot")


def test_label_is_found_wherever_it_stands() -> None:
    script = Script.parse(b"#!ipxe\n:one\na\n:two \nb\n", "http://x/")
    assert [script.line_after(label) for label in ("one", "two", "three")] == [2, 4, None]


def test_text_without_the_first_line_is_no_script() -> None:
    with pytest.raises(NotAScript):
        Script.parse(b"<html>", "http://x/")
