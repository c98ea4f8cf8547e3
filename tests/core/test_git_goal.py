"""Whatever real git makes of the task passes, whatever differs fails, and no repository crashes the goal."""

from __future__ import annotations

import hashlib
import random
import time
import zlib
from collections.abc import Callable, Iterator, Mapping

import pytest

from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.git_goal import GitGoal
from pytest_quotebench.core.git_objects import GitObject
from pytest_quotebench.core.judge import check_state, extra_entries
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.task import Fixture, Task
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink
from pytest_quotebench.sandboxes.local import open_sandbox

Run = Callable[[Fixture, str], FileTree]

MESSAGE = "it's `done`\n\nfor $1"
COMMIT = "git add -A && git commit -q -m 'it'\\''s `done`\n\nfor $1'"
ONE_FILE = Fixture({"new file.txt": "data\n"}, git_repository=True)
MANY_FILES = Fixture(
    {
        f"deep/er/{number}.txt": "".join(f"line {line} of it\n" for line in range(200 + number))
        for number in range(9)
    },
    {"run": File(b"#!/bin/sh\n", 0o755)},
    git_repository=True,
)


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with open_sandbox() as sandbox:

        def in_bash(fixture: Fixture, command: str) -> FileTree:
            execution = sandbox.run(fixture.tree, Invocation(argv=(b"bash", b"-c", command.encode())), Limits())
            assert execution.exit_status == 0, execution.stderr
            return execution.tree

        yield in_bash


@pytest.fixture(scope="module")
def reached(run: Run) -> FileTree:
    return run(ONE_FILE, COMMIT)


def task_of(fixture: Fixture) -> Task:
    tracked = (*fixture.files, *fixture.programs)
    return Task(
        id="g-t0",
        published_id="g/t0",
        family="g",
        tier=0,
        hazards=(),
        instruction="",
        payloads=(MESSAGE,),
        fixture=fixture,
        goal=GitGoal(MESSAGE, tracked),
        allowed_new_files=(),
        oracle="",
        naive="",
    )


TASK = task_of(ONE_FILE)


def checksum(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()


def complaint(after: FileTree, task: Task = TASK) -> Mismatch | None:
    return check_state(task, after)


@pytest.mark.parametrize(
    "command",
    [
        COMMIT,
        f"git checkout -q -b fix/it && {COMMIT}",
        f"{COMMIT} && git commit -q --amend --no-edit --date=2001-01-01T00:00:00Z",
        f"{COMMIT} && git gc -q --prune=now && git gc -q --aggressive",
        f"{COMMIT} && git repack -q -a -d -f && git multi-pack-index write && git pack-refs --all",
        f"{COMMIT} && git -c repack.writeBitmaps=true -c pack.writeReverseIndex=true repack -q -a -d",
        f"{COMMIT} && git -c repack.useDeltaBaseOffset=false repack -q -a -d -f",
        f"{COMMIT} && git -c gc.cruftPacks=true gc -q",
        f"{COMMIT} && git maintenance run && git maintenance run --task=incremental-repack --task=commit-graph",
        f"{COMMIT} && git branch -m other/name && git reflog expire --expire=all --all",
        f"{COMMIT} && git rebase -q --root --force-rebase && git reset -q --hard HEAD",
        (
            "git init -q && git add -A"
            " && printf 'it'\\''s `done`\\n\\nfor $1\\n\\n\\n' | git commit -q -F - --cleanup=verbatim"
        ),
        f"{COMMIT} && git update-index --index-version 4",
        f"{COMMIT} && git update-index --index-version 3",
        f"{COMMIT} && git rebase -q --root --force-rebase",
        f"{COMMIT} && git fetch -q . HEAD && git pull -q . HEAD && git fetch -q -a . $(git branch --show-current)",
        f'{COMMIT} && git fetch -q . $(git rev-parse HEAD) && git fetch -q -a "file://$PWD" refs/heads/main',
        f"{COMMIT} && git fetch -q .; git fetch -q . nothing 2> /dev/null || true",
        f"{COMMIT} && git -c rerere.enabled=true commit -q --amend --no-edit --date=2001-01-01T00:00:00Z",
        f"{COMMIT} && git maintenance run --task=loose-objects",
        f"{COMMIT} && git maintenance run --task=loose-objects && git maintenance run --task=loose-objects",
        f"{COMMIT} && git -c pack.writeReverseIndex=true maintenance run --task=loose-objects",
        f"{COMMIT} && git checkout -q --detach",
        f"{COMMIT} && git checkout -q --detach && git pack-refs --all",
        f"{COMMIT} && git branch -m it/is && git checkout -q --detach",
        f"{COMMIT} && git update-index --split-index",
        f"{COMMIT} && git update-index --split-index && git update-index --no-split-index",
        f"git -c core.splitIndex=true add -A && {COMMIT}",
        f"git update-index --split-index && {COMMIT} && git update-index --index-version 4",
        (
            f": > x && git add -A && git update-index --split-index && git rm -q --cached x && rm x && {COMMIT}"
            " && touch * && git update-index --refresh"
        ),
        f"{COMMIT} && git update-index --index-version 4 --split-index && touch * && git status -s",
    ],
)
@pytest.mark.parametrize("fixture", [ONE_FILE, MANY_FILES], ids=["one file", "many files"])
def test_what_git_makes_of_the_task_passes(fixture: Fixture, command: str, run: Run) -> None:
    task, after = task_of(fixture), run(fixture, command)

    assert complaint(after, task) is None
    assert extra_entries(task, after) == ()


def test_packed_deltas_are_really_read(run: Run) -> None:
    after = run(
        MANY_FILES, f"{COMMIT} && git repack -q -a -d -f && git verify-pack -v .git/objects/pack/*.idx > .git/x"
    )
    listing = after[".git/x"]

    assert isinstance(listing, File)
    assert b"chain length = " in listing.data
    assert complaint(after, task_of(MANY_FILES)) is None


@pytest.mark.parametrize(
    ("command", "note"),
    [
        (f"{COMMIT} && git commit -q --allow-empty -m x", "commits"),
        ("git add -A && git commit -q -m other", "commit message"),
        (f"{COMMIT} && git checkout -q -b more", "refs"),
        (f"{COMMIT} && git tag v1", "refs"),
        (f"{COMMIT} && git tag v1 && git pack-refs --all", "refs"),
        (f"{COMMIT} && git update-ref refs/replace/$(git rev-parse HEAD) HEAD", "refs"),
        (f"rm 'new file.txt' && mkdir x && : > x/y && {COMMIT}", "committed files"),
        (f"git update-index --add --cacheinfo 160000,{'1' * 40},sub && mkdir sub && {COMMIT}", "committed files"),
        (f"echo more > 'new file.txt' && {COMMIT} && echo data > 'new file.txt'", ""),
        (f"chmod +x 'new file.txt' && {COMMIT} && chmod -x 'new file.txt'", "committed mode"),
        (f"{COMMIT} && echo x > 'new file.txt' && git add -A && echo data > 'new file.txt'", "staged content"),
        (f"{COMMIT} && git rm -q --cached 'new file.txt'", "staged files"),
        (f"{COMMIT} && git update-index --chmod=+x 'new file.txt'", "staged mode"),
        (f"{COMMIT} && rm .git/index", "repository"),
        (
            f"{COMMIT} && git update-index --split-index && git update-index --chmod=+x 'new file.txt'",
            "staged mode",
        ),
        (f"{COMMIT} && git update-index --split-index && git rm -q --cached 'new file.txt'", "staged files"),
        (f"{COMMIT} && git update-index --split-index && : > x && git add x && rm x", "staged files"),
        (f"{COMMIT} && git update-index --split-index && rm .git/sharedindex.*", "repository"),
        (f"{COMMIT} && git update-index --split-index && echo >> .git/sharedindex.*", "repository"),
        (f"{COMMIT} && git branch more && git checkout -q --detach", "refs"),
        (f"{COMMIT} && git tag v1 && git checkout -q --detach", "refs"),
        (
            f"{COMMIT} && git checkout -q --detach && git commit -q --amend --no-edit --date=2001-01-01T00:00Z",
            "refs",
        ),
        ("git add -A", "commits"),
        (f"{COMMIT} && git config core.editor vi", ""),
    ],
)
def test_what_differs_fails_and_says_where(command: str, note: str, run: Run) -> None:
    wrong = complaint(run(ONE_FILE, command))

    assert wrong is not None
    assert wrong.note == note


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        (".git/hooks/post-commit", File(b"#!/bin/sh\n")),
        (".git/objects/info/alternates", File(b"/elsewhere\n")),
        (".git/info/grafts", File(b"")),
        (".git/shallow", File(b"")),
        (".git/commondir", File(b"..\n")),
        (".git/index.lock", File(b"")),
        (".git/objects/ab/" + "0" * 38, File(zlib.compress(b"blob 1\0x"))),
        (".git/objects/pack/pack-" + "0" * 40 + ".pack", File(b"PACK")),
        (".git/objects/info/commit-graph", File(b"CGPH")),
        (".git/hooks/x.sample", Symlink("/bin/sh")),
        (".git/logs/x", File(b"")),
        (".git/branches/x", File(b"")),
        (".git/description", Special("fifo")),
        (".git/sub", Directory()),
        (".git/AUTO_MERGE", File(b"")),
        (".git/AUTO_MERGE", File(b"#!/bin/sh\n")),
        (".git/AUTO_MERGE", File(b"1" * 40 + b"\n" + b"1" * 40 + b"\n")),
        (".git/AUTO_MERGE", Directory()),
        (".git/FETCH_HEAD", File(b"#!/bin/sh\n")),
        (".git/FETCH_HEAD", File(b"1" * 40 + b"\t\t")),
        (".git/FETCH_HEAD", File(b"1" * 40 + b"\t\t.\n\n")),
        (".git/FETCH_HEAD", File(b"1" * 40 + b"\t\tbranch 'a b' of .\n")),
        (".git/FETCH_HEAD", File((b"1" * 40 + b"\t\t.\n") * 100_000)),
        (".git/FETCH_HEAD", Symlink("HEAD")),
        (".git/MERGE_RR", File(b"x")),
        (".git/rr-cache", File(b"")),
        (".git/rr-cache/" + "1" * 40, Directory()),
        (".git/sharedindex." + "0" * 40, File(b"")),
        (".git/sharedindex." + checksum(b"DIRC").hex(), File(b"DIRC" + checksum(b"DIRC"))),
        (".git/sharedindex." + checksum(b"#!/bin/sh\n").hex(), File(b"#!/bin/sh\n" + checksum(b"#!/bin/sh\n"))),
        (".git/objects/pack/loose-" + "0" * 40 + ".pack", File(b"PACK" + checksum(b"PACK"))),
        (".git/objects/pack/other-" + checksum(b"PACK").hex() + ".pack", File(b"PACK" + checksum(b"PACK"))),
    ],
)
def test_what_git_does_not_write_is_an_extra_entry(path: str, entry: Entry, reached: FileTree) -> None:
    after = reached.with_entries({path: entry})

    assert complaint(after) is None
    assert path in extra_entries(TASK, after)


def test_trailing_newlines_of_the_message_are_the_only_ones_that_do_not_count(reached: FileTree) -> None:
    for message, right in (
        (f"{MESSAGE}\n\n", True),
        (MESSAGE, True),
        (f"\n{MESSAGE}", False),
        (f"{MESSAGE} ", False),
    ):
        assert (GitGoal(message, tuple(ONE_FILE.files)).check(ONE_FILE.tree, reached) is None) == right


def test_the_number_of_commits_is_the_goal_s(run: Run) -> None:
    after = run(ONE_FILE, f"git commit -q --allow-empty -m first && {COMMIT}")

    assert GitGoal(MESSAGE, tuple(ONE_FILE.files), commits=2).check(ONE_FILE.tree, after) is None
    assert GitGoal(MESSAGE, tuple(ONE_FILE.files), commits=3).check(ONE_FILE.tree, after) == Mismatch(
        ".git/HEAD", b"3", b"2", "commits"
    )


def test_allowed_spellings_are_no_part_of_a_mismatch(run: Run) -> None:
    after = run(ONE_FILE, "git add -A && printf 'it\\n\\n\\n' | git commit -q -F - --cleanup=verbatim")

    assert GitGoal("it is\n", tuple(ONE_FILE.files)).check(ONE_FILE.tree, after) == Mismatch(
        ".git/HEAD", b"it is", b"it", "commit message"
    )


def test_a_repository_without_a_commit_has_none() -> None:
    assert complaint(ONE_FILE.tree) == Mismatch(".git/HEAD", b"1", b"0", "commits")


def test_only_head_is_named() -> None:
    assert TASK.goal.named(ONE_FILE.tree) == {".git/HEAD"}


def loose(*objects: GitObject) -> Mapping[str, Entry]:
    return {
        f".git/objects/{item.name[:2]}/{item.name[2:]}": File(
            zlib.compress(f"{item.kind} {len(item.data)}\0".encode() + item.data)
        )
        for item in objects
    }


def at(reached: FileTree, commit: GitObject, *more: GitObject) -> FileTree:
    return reached.with_entries(
        {**loose(commit, *more), ".git/refs/heads/main": File(f"{commit.name}\n".encode())}
    )


WHO = b"author A <a> 1 +0000\ncommitter A <a> 1 +0000\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"no header",
        b"tree x\n\n",
        b"tree " + b"0" * 40 + b"\n" + WHO + b"\n" + MESSAGE.encode(),
        b"tree " + b"0" * 40 + b"\nauthor\ncommitter\n\nmessage",
        b"tree " + b"\xff" * 40 + b"\n" + WHO + b"\nmessage",
        b"tree " + b"0" * 40 + b"\nparent \xff\n" + WHO + b"\nmessage",
        b"tree " + b"0" * 40 + b"\nauthor A <a> 99999999999999999999999999999999 +9999999\n\n" + MESSAGE.encode(),
        b"tree " + b"0" * 40 + b"\n" + b"gpgsig x\n" + b" y\n" * 10**6 + b"\nm",
        b"\0" * 1000,
        b" " * 100_000,
    ],
)
def test_a_commit_that_is_none_is_a_mismatch(data: bytes, reached: FileTree) -> None:
    wrong = complaint(at(reached, GitObject("commit", data)))

    assert wrong is not None
    assert wrong.note == "repository"


@pytest.mark.parametrize(
    "data",
    [
        b"garbage",
        b"100644 new file.txt\0short",
        b"100644 \0" + bytes(20),
        b"100644 a/b\0" + bytes(20),
        b"999999 a\0" + bytes(20),
        b"100644 new file.txt" + b"x" * 10**6 + b"\0" + bytes(20),
        b"\xff" * 50,
    ],
)
def test_a_tree_that_is_none_is_a_mismatch(data: bytes, reached: FileTree) -> None:
    tree = GitObject("tree", data)
    commit = GitObject("commit", b"tree " + tree.name.encode() + b"\n" + WHO + b"\n" + MESSAGE.encode())

    assert complaint(at(reached, commit, tree)) is not None


def test_parents_in_a_circle_end(reached: FileTree) -> None:
    name = "a" * 40
    commit = GitObject("commit", b"tree " + b"0" * 40 + f"\nparent {name}\n".encode() + WHO + b"\nm")
    misnamed = {f".git/objects/aa/{'a' * 38}": next(iter(loose(commit).values()))}
    after = at(reached, commit).with_entries(misnamed)

    wrong = complaint(after)

    assert wrong is not None
    assert wrong.got is not None
    assert b"does not hold that object" in wrong.got


def test_a_tree_bomb_does_not_go_off(reached: FileTree) -> None:
    trees = [GitObject("tree", b"")]
    for _ in range(30):
        below = bytes.fromhex(trees[-1].name)
        trees.append(GitObject("tree", b"".join(b"40000 %d\0%s" % (number, below) for number in range(10))))
    commit = GitObject("commit", b"tree " + trees[-1].name.encode() + b"\n" + WHO + b"\n" + MESSAGE.encode())
    start = time.perf_counter()

    wrong = complaint(at(reached, commit, *trees))

    assert wrong is not None
    assert wrong.note == "committed files"
    assert time.perf_counter() - start < 1


def test_ten_thousand_objects_and_bombs_take_seconds_at_most(reached: FileTree) -> None:
    bomb = File(zlib.compress(b"blob 4000000\0" + bytes(4_000_000)))
    small = [GitObject("blob", b"%d" % number) for number in range(10_000)]
    bombs = {f".git/objects/ee/{number:038x}": bomb for number in range(10_000)}
    after = reached.with_entries({**loose(*small), **bombs})
    start = time.perf_counter()

    assert complaint(after) is None
    assert extra_entries(TASK, after)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "path",
    [".git/index", ".git/HEAD", ".git/packed-refs", ".git/refs/heads/main", ".git/objects/pack/pack-x.pack"],
)
@pytest.mark.parametrize(
    "data", [b"", b"\0" * 10**6, b"DIRC\0\0\0\4\xff\xff\xff\xff" + b"x" * 10**6, b"ref: refs/heads/main"]
)
def test_garbage_in_any_place_is_no_crash(path: str, data: bytes, reached: FileTree) -> None:
    start = time.perf_counter()
    after = reached.with_entries({path: File(data)})

    assert isinstance(complaint(after), Mismatch | None)
    assert isinstance(extra_entries(TASK, after), tuple)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "entry", [Symlink("../.."), Special("fifo"), Directory()], ids=["symlink", "fifo", "directory"]
)
@pytest.mark.parametrize(
    "path", [".git", ".git/HEAD", ".git/index", ".git/objects", ".git/refs", ".git/refs/heads/main"]
)
def test_another_kind_of_entry_in_any_place_is_a_mismatch(path: str, entry: Entry, reached: FileTree) -> None:
    assert complaint(reached.without(path).with_entries({path: entry})) is not None


@pytest.mark.parametrize("command", [COMMIT, f"{COMMIT} && git gc -q"], ids=["loose", "packed"])
def test_a_byte_changed_anywhere_is_never_a_crash(command: str, run: Run) -> None:
    tree = run(ONE_FILE, command)
    files = [(path, entry) for path, entry in tree.items() if path.startswith(".git/") and isinstance(entry, File)]
    chance = random.Random(7)
    for _ in range(400):
        path, entry = chance.choice(files)
        data = bytearray(entry.data or b"x")
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        after = tree.with_entries({path: File(bytes(data[: chance.choice([len(data), len(data) // 2])]))})

        assert isinstance(complaint(after), Mismatch | None)
        assert isinstance(extra_entries(TASK, after), tuple)
