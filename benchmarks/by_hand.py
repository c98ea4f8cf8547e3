"""The same work without the plugin, as one would write it by hand with the standard library alone.

    python by_hand.py CASES.json      the bare loop: lay out, run, remove; nothing is checked

`plain_test.py` puts a pytest function around the same steps, and checks the final state.
"""

# ruff: noqa: PTH101, PTH103, PTH118, PTH120, PTH123
# The baseline must be the cheapest way, and Path is not.

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

Case = dict[str, Any]
"""One case as plain JSON; bytes are text that carries undecodable ones as surrogates.

`argv`; `files` and `repository` (path to content and permission bits); `directories`; `git_init`, whether the
repository is made by git rather than laid out; `expected` (path to content outside .git) and `message`.
"""

TIMEOUT_S = 15


def read_cases(path: str) -> list[Case]:
    """Return the cases of a file."""
    cases: list[Case] = json.loads(Path(path).read_text(encoding="ascii"))
    return cases


def lay_out(case: Case, directory: str) -> None:
    """Make the fixture in an empty directory."""
    for path in case["directories"]:
        os.makedirs(os.path.join(directory, path), exist_ok=True)
    files = case["files"]
    if case["git_init"]:
        _init(directory)
    else:
        files = {**files, **case["repository"]}
    for path, (content, mode) in files.items():
        target = os.path.join(directory, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(_bytes(content))
        os.chmod(target, mode)


def run(case: Case, directory: str) -> subprocess.CompletedProcess[bytes] | None:
    """Run the case's argv there, as a person would; None where the time was up."""
    try:
        return subprocess.run(
            [_bytes(argument) for argument in case["argv"]],
            cwd=directory,
            env=_environment(directory),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def final_state(directory: str) -> dict[str, str]:
    """Read every file outside .git."""
    found = {}
    for parent, directories, files in os.walk(directory):
        if ".git" in directories:
            directories.remove(".git")
        for name in files:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = _text(file.read())
    return found


def commit_message(directory: str) -> str | None:
    """Return the message of the commit that HEAD names, read without git; None where there is none."""
    git = Path(directory, ".git")
    try:
        name = (git / (git / "HEAD").read_text().removeprefix("ref: ").strip()).read_text().strip()
        commit = zlib.decompress((git / "objects" / name[:2] / name[2:]).read_bytes())
    except OSError:
        return None
    return _text(commit.partition(b"\n\n")[2]).rstrip("\n")


def _init(directory: str) -> None:
    for arguments in (["init", "-q"], ["config", "user.name", "Q"], ["config", "user.email", "q@example.invalid"]):
        subprocess.run(["git", *arguments], cwd=directory, env=_environment(directory), check=True)


def _environment(directory: str) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": directory,
        "LC_ALL": "C",
        "LANG": "C",
        "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def main() -> None:
    """Run the bare loop."""
    for case in read_cases(sys.argv[1]):
        directory = tempfile.mkdtemp()
        try:
            lay_out(case, directory)
            run(case, directory)
        finally:
            shutil.rmtree(directory)


if __name__ == "__main__":
    main()
