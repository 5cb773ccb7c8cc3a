"""The command line as a person or a script runs it: a real process."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ingot import __version__
from ingot.config.sample import SAMPLES, sample

INGOT = Path(sys.executable).parent / "ingot"
SECRET = "hunter2-and-more"


def ingot(
    *words: str,
    cwd: Path | None = None,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [INGOT, *words],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "BMC_PASSWORD": SECRET, **(environment or {})},
        capture_output=True,
        check=False,
        timeout=60,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_version_is_that_of_the_package() -> None:
    assert ingot("version").stdout == f"ingot {__version__}\n"


def test_version_as_json() -> None:
    assert json.loads(ingot("version", "-o", "json").stdout) == {"version": __version__}


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_names_every_command(word: str) -> None:
    shown = ingot(word)
    assert shown.returncode == 0
    for command in ("validate", "explain", "create", "version"):
        assert f"│ {command} " in shown.stdout


def test_prepared_help_is_what_the_command_line_renders() -> None:
    prepared = ingot("--help", environment={"NO_COLOR": "1"}).stdout
    rendered = ingot("--help", environment={"NO_COLOR": "1", "TERMINAL_WIDTH": "80"}).stdout
    assert prepared.split() == rendered.split()


def test_no_command_shows_help_and_is_a_usage_error() -> None:
    shown = ingot()
    assert shown.returncode == 2
    assert "Usage: ingot" in shown.stdout + shown.stderr


def test_unknown_command_is_a_usage_error_that_suggests_the_nearest() -> None:
    shown = ingot("validat")
    assert shown.returncode == 2
    assert "validate" in shown.stderr


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_valid(name: str, tmp_path: Path) -> None:
    printed = ingot("create", "install-config", "--example", name)
    (tmp_path / "install-config.yaml").write_text(printed.stdout, encoding="utf-8")
    checked = ingot("validate", "-o", "json", cwd=tmp_path)
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["errors"] == []


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--dir", "{dir}", "validate"], id="before the command"),
        pytest.param(["validate", "--dir", "{dir}"], id="after the command"),
        pytest.param(["validate", "{dir}/install-config.yaml"], id="by file"),
    ],
)
def test_directory_may_be_given_anywhere(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "install-config.yaml").write_text(sample("managed"), encoding="utf-8")
    shown = ingot(*(word.format(dir=tmp_path) for word in words))
    assert shown.returncode == 0
    assert "is valid" in shown.stdout


def test_config_may_come_by_standard_input() -> None:
    shown = ingot("validate", "-", stdin=sample("dual-stack").encode())
    assert shown.returncode == 0
    assert "stdin is valid" in shown.stdout


def test_invalid_config_exits_3_with_place_rule_and_remedy() -> None:
    text = sample("managed").replace("      - 192.0.2.6", "      - 192.0.2.5")
    line = 1 + text[: text.index("ingressVIPs")].count("\n") + 1
    shown = ingot("validate", "-", stdin=text.encode())
    assert shown.returncode == 3
    assert f"stdin:{line}: error P3: platform.baremetal.ingressVIPs[0]" in shown.stdout
    assert "each VIP needs an address of its own" in shown.stdout


def test_json_report_has_exactly_the_keys_of_the_contract() -> None:
    text = sample("managed").replace("baseDomain: example.com", "baseDomain: -bad-")
    shown = ingot("validate", "-", "-o", "json", stdin=text.encode())
    report = json.loads(shown.stdout)
    assert shown.returncode == 3
    assert report.keys() == {"valid", "errors", "warnings"}
    assert report["valid"] is False
    (only,) = report["errors"]
    assert only.keys() == {"rule", "field", "message", "line"}
    assert (only["rule"], only["field"]) == ("G8", "baseDomain")
    assert isinstance(only["line"], int)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda _: None, "no such file", id="missing"),
        pytest.param(lambda path: path.mkdir(), "is a directory", id="directory"),
        pytest.param(lambda path: path.write_bytes(b""), "the file is empty", id="empty"),
        pytest.param(lambda path: path.write_bytes(os.urandom(4096)), "F1", id="binary"),
        pytest.param(lambda path: path.write_bytes(b"a: b\n" * 4_000_000), "4 MiB", id="20 MB"),
        pytest.param(lambda path: path.symlink_to(path), "symbolic links", id="link to itself"),
    ],
)
def test_file_that_cannot_be_used_is_explained(make: object, words: str, tmp_path: Path) -> None:
    path = tmp_path / "install-config.yaml"
    assert callable(make)
    make(path)
    shown = ingot("validate", cwd=tmp_path)
    assert shown.returncode == 3
    assert words in shown.stdout
    assert "Traceback" not in shown.stdout + shown.stderr


def test_endless_file_is_refused_in_bounded_memory() -> None:
    shown = ingot("validate", "/dev/zero")
    assert shown.returncode == 3
    assert "4 MiB" in shown.stdout


def test_explain_tells_type_allowed_values_default_and_meaning() -> None:
    shown = ingot("explain", "platform.baremetal.provisioningNetwork").stdout
    assert "Managed, Unmanaged, Disabled" in shown
    assert "default: Managed" in shown
    assert "virtual media" in shown


def test_explain_of_an_unknown_field_suggests_the_nearest() -> None:
    shown = ingot("explain", "platform.baremetal.host")
    assert shown.returncode == 1
    assert "did you mean hosts?" in shown.stderr


@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [
        pytest.param("bash", {"COMP_WORDS": "ingot va", "COMP_CWORD": "1"}, "validate", id="bash"),
        pytest.param(
            "zsh", {"_TYPER_COMPLETE_ARGS": "ingot create in"}, "install-config", id="zsh"
        ),
        pytest.param(
            "fish",
            {"_TYPER_COMPLETE_ARGS": "ingot ex", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "explain",
            id="fish",
        ),
    ],
)
def test_shell_completes_commands(shell: str, words: dict[str, str], expected: str) -> None:
    shown = ingot(environment={"_INGOT_COMPLETE": f"complete_{shell}", **words})
    assert expected in shown.stdout


def test_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [INGOT, "explain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


BROKEN = """
import sys
import ingot.config.file

def fail(path):
    raise RuntimeError("the sky has fallen")

ingot.config.file.load_file = fail
from ingot.cli.start import main
sys.exit(main())
"""


def broken(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BROKEN, "--dir", str(directory), "validate", *words],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def test_unforeseen_error_is_kept_in_the_log_and_not_shown(tmp_path: Path) -> None:
    shown = broken(tmp_path)
    log = tmp_path / ".ingot" / "log"
    assert shown.returncode == 1
    assert "Traceback" not in shown.stderr
    assert str(log) in shown.stderr
    assert "the sky has fallen" in log.read_text(encoding="utf-8")


def test_log_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    broken(tmp_path)
    log = tmp_path / ".ingot" / "log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    assert "Traceback" in broken(tmp_path, "--log-level", "debug").stderr


def test_unforeseen_error_without_a_place_for_the_log_still_ends_in_a_sentence(
    tmp_path: Path,
) -> None:
    (tmp_path / ".ingot").write_text("in the way", encoding="utf-8")
    shown = broken(tmp_path)
    assert shown.returncode == 1
    assert "Traceback" not in shown.stderr
    assert "--log-level debug" in shown.stderr
