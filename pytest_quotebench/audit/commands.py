"""Real commands that leave a state next to the right one: the oracle, and then something more.

The commands of the second list leave the same state written another way, and must pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pytest_quotebench.audit._change import CommandChange
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.task import TIERS, Task

_Commands = Mapping[str, str]

_ANYWHERE: _Commands = MappingProxyType(
    {
        "file-more": "printf x > left.txt",
        "hidden-file-more": ": > .left",
        "directory-more": "mkdir empty",
        "symlink-more": "ln -s nowhere link",
        "fifo-more": "mkfifo pipe",
    }
)
_ON_TARGET: _Commands = MappingProxyType(
    {
        "byte-added": "printf x >> {target}",
        "line-added": "echo x >> {target}",
        "emptied": ": > {target}",
        "removed": "rm -- {target}",
        "moved-away": "mv -- {target} elsewhere",
        "copied": "cp -- {target} copy",
        "to-symlink": "mv -- {target} real && ln -s real {target}",
        "to-fifo": "rm -- {target} && mkfifo {target}",
        "to-directory": "rm -- {target} && mkdir {target}",
    }
)
_ON_FIXTURE: _Commands = MappingProxyType(
    {
        "fixture-mode": "chmod 600 {kept}",
        "fixture-byte-added": "printf x >> {kept}",
        "fixture-removed": "rm -f -- {kept}",
        "fixture-backup": "cp {kept} {kept}.bak",
    }
)
_ON_REPOSITORY: _Commands = MappingProxyType(
    {
        "tag": "git tag v1",
        "annotated-tag": "git tag -a -m x v1",
        "branch": "git branch other",
        "other-branch-left": "git checkout -q -b other",
        "branch-beside-detached": "git branch other && git checkout -q --detach",
        "detached-elsewhere": "git checkout -q --detach"
        " && git commit -q --amend --no-edit --date=2001-01-01T00:00:00Z",
        "split-index-broken": "git update-index --split-index && rm .git/sharedindex.*",
        "second-commit": "git commit -q --allow-empty -m x",
        "second-commit-same-message": "git commit -q --allow-empty -C HEAD",
        "amended-message": "git commit -q --amend -m other",
        "signed-off": "git commit -q --amend --no-edit --signoff",
        "more-committed": "printf x > more.txt && git add more.txt && git commit -q --amend --no-edit",
        "staged-removal": "git rm -q --cached newfile.txt",
        "committed-removal": "git rm -q newfile.txt && git commit -q --amend --allow-empty --no-edit",
        "committed-other-content": "echo x > newfile.txt && git commit -q -a --amend --no-edit",
        "committed-mode": "git update-index --chmod=+x newfile.txt && git commit -q --amend --no-edit",
        "index-removed": "rm .git/index",
        "config": "git config alias.x y",
        "hook": "mkdir -p .git/hooks && printf '#!/bin/sh\\n' > .git/hooks/pre-commit",
        "note": "git notes add -m x",
        "stash": "echo x >> newfile.txt && git stash -q",
        "remote": "git remote add origin .",
        "remote-branch": "git fetch -q . HEAD:refs/remotes/origin/main",
        "replace-ref": "git replace HEAD $(git commit-tree -m x HEAD^{tree})",
        "packed-tag": "git tag v1 && git pack-refs --all",
        "reset-to-unborn": "git update-ref -d HEAD",
        "worktree": "git worktree add -q --detach other",
        "alternates": "echo /elsewhere > .git/objects/info/alternates",
        "grafts": "git rev-parse HEAD > .git/info/grafts",
        "broken-object": "rm -rf .git/objects/??",
        "object-no-object": "mkdir -p .git/objects/ab && echo x > .git/objects/ab/$(printf %038d 0)",
    }
)

_SAME_ANYWHERE: _Commands = MappingProxyType(
    {
        "file-made-and-removed": "printf x > left.txt && rm left.txt",
        "failing-exit-status": "exit 3",
        "output": "echo done; echo warning >&2",
    }
)
_SAME_ON_TARGET: _Commands = MappingProxyType(
    {
        "times": "touch -t 200001010000 {target}",
        "rewritten": "cp -- {target} copy && mv copy {target}",
    }
)
_SAME_ON_NEW_FILE: _Commands = MappingProxyType(
    {"mode": "chmod 600 {target}", "mode-executable": "chmod 755 {target}"}
)
_SAME_LIST: _Commands = MappingProxyType(
    {"dot-slash": "text=$(sed 's|^|./|' list.txt) && printf '%s\\n' \"$text\" > list.txt"}
)
_SAME_JSON: _Commands = MappingProxyType(
    {
        "json-key-escapes": "text=$(sed 's/message/m\\\\u0065ssage/' config.json)"
        " && printf '%s' \"$text\" > config.json",
        "json-spacing": "text=$(sed 's/{/ {  /' config.json) && printf '\\n%s\\n' \"$text\" > config.json",
    }
)
_SAME_REPOSITORY: _Commands = MappingProxyType(
    {
        "amended": "git commit -q --amend --no-edit --reset-author --date=2001-01-01T00:00:00Z",
        "amended-twice": "git commit -q --amend -m x && git commit -q --amend -C HEAD@{1}",
        "message-from-file": "git log -1 --format=%B | git commit -q --amend --cleanup=verbatim -F -",
        "branch-of-another-name": "git branch -m trunk",
        "branch-in-a-directory": "git branch -m fix/quotes",
        "detached": "b=$(git symbolic-ref --short HEAD) && git checkout -q --detach && git branch -q -D $b",
        "detached-beside-branch": "git checkout -q --detach",
        "rebased": "git rebase -q --root --force-rebase",
        "fetched": "git fetch -q . HEAD",
        "pulled": "git pull -q . HEAD",
        "conflicts-watched": "git -c rerere.enabled=true commit -q --amend --no-edit --date=2001-01-01T00:00:00Z",
        "loose-objects-packed": "git maintenance run --task=loose-objects"
        " && git maintenance run --task=loose-objects",
        "index-split": "git update-index --split-index",
        "gc": "git gc -q",
        "gc-pruned": "git commit -q --amend --no-edit --date=2001-01-01T00:00:00Z"
        " && git reflog expire --expire=now --all && git gc -q --prune=now",
        "repacked": "git repack -q -a -d -b && git pack-refs --all",
        "commit-graph": "git commit-graph write --reachable",
        "commit-graph-chain": "git commit-graph write --reachable --split",
        "server-info": "git update-server-info",
        "index-version-4": "git update-index --index-version 4",
        "status": "git status -s && git diff && git log -1 && git fsck",
        "initialised-again": "git init -q",
        "reset": "git reset -q --hard HEAD",
        "side-branch-removed": "git checkout -q -b side && git commit -q --allow-empty -m x"
        " && git checkout -q - && git branch -q -D side",
    }
)


def command_mutations(task: Task) -> Iterator[CommandChange]:
    """Give commands that reach the goal and then spoil it; each must be rejected.

    Only a family's hardest task has them: the trees of every task are changed without running anything.
    """
    if task.tier != max(TIERS):
        return
    yield from _after_oracle(task, _ANYWHERE)
    yield from _after_oracle(task, _ON_TARGET, target=_target(task))
    yield from _after_oracle(task, _ON_FIXTURE, kept=_kept(task))
    if task.fixture.git_repository:
        yield from _after_oracle(task, _ON_REPOSITORY)


def command_equivalents(task: Task) -> Iterator[CommandChange]:
    """Give commands that reach the goal and write it another way, for the hardest tasks; each must pass."""
    if task.tier != max(TIERS):
        return
    target = _target(task)
    yield from _after_oracle(task, _SAME_ANYWHERE)
    yield from _after_oracle(task, _SAME_ON_TARGET, target=target)
    if target not in task.fixture.files:
        yield from _after_oracle(task, _SAME_ON_NEW_FILE, target=target)
    yield from _after_oracle(task, _special_equivalents(task))


def _special_equivalents(task: Task) -> _Commands:
    if task.fixture.git_repository:
        return _SAME_REPOSITORY
    by_file = {"list.txt": _SAME_LIST, "config.json": _SAME_JSON}
    return by_file.get(_target(task) or "", {})


def _after_oracle(task: Task, commands: _Commands, **paths: str | None) -> Iterator[CommandChange]:
    if None in paths.values():
        return
    words = {name: shell_word(f"./{path}") for name, path in paths.items()}
    for kind, command in commands.items():
        more = command.format(**words) if words else command
        yield CommandChange(task.id, f"command-{kind}", f"{task.oracle} && {{ {more}; }}")


def _target(task: Task) -> str | None:
    """Return a file that the goal decides and that is there at the end, where there is one."""
    return next(iter(task.allowed_new_files), None) or next(
        (path for path in task.fixture.files if path in task.goal.named(task.fixture.tree) and path == "data.txt"),
        None,
    )


def _kept(task: Task) -> str | None:
    """Return a fixture file that must be left alone, where there is one."""
    named = task.goal.named(task.fixture.tree)
    return next((path for path in [*task.fixture.files, *task.fixture.programs] if path not in named), None)
