"""What every driver does: it reads its settings, starts the session, proves a hang, and reports the end."""

from __future__ import annotations

import os
import sys
import time
from typing import NoReturn  # taken out of what is sent: see sessions.driver

AUX = __file__.rpartition("/")[0]
EXIT_STATUS = {"hang": 124, "died": 125, "refused": 126}
"""The driver's own exit status where the session gave none (see `sessions.interpretation`)."""
PIECE = 2**16

_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
"""signal(7), for x86 and ARM; the module `signal` takes as long to import as a shell to start."""

_ENDLESS = {
    # by number: "fd" where the first argument must be a pipe or a terminal, 5 where the fifth, a time limit, must
    # be NULL, or nothing, because it only waits for a child, a signal, or the other end of a FIFO
    "x86_64": {0: "fd", 19: "fd", 23: 5, 34: None, 61: None, 130: None, 247: None, 257: None, 270: 5},
    "aarch64": {63: "fd", 65: "fd", 72: 5, 133: None, 260: None, 95: None, 56: None},
}
"""read, readv, select, pselect6, pause, wait4, rt_sigsuspend, waitid, openat (asm/unistd_64.h, asm-generic)."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 0.4
_WITNESSES_APART_S = 0.1


def read_settings() -> dict:  # type: ignore[type-arg]
    """Return the settings: JSON, which with these three names is also an expression of Python.

    The transport wrote it, before the session began.
    """
    names = {"__builtins__": {}, "true": True, "false": False, "null": None}
    return eval(read_input("settings.json"), names)  # type: ignore[no-any-return]  # noqa: S307


def read_input(name: str = "input") -> bytes:
    """Return the bytes to be typed, or those of another auxiliary file."""
    with open(f"{AUX}/{name}", "rb") as file:
        return file.read()


def finish(ended: str, status: int = 0) -> NoReturn:
    """Write the report and exit."""
    status = EXIT_STATUS.get(ended, status & 255)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
    os.write(os.open(sys.argv[1], flags, 0o600), b'{"ended": "%s", "exit_status": %d}' % (ended.encode(), status))
    os._exit(status)


def environment(settings: dict) -> dict[str, str]:  # type: ignore[type-arg]
    """Return the session's environment: what it keeps of the driver's own, and what the carrier adds."""
    keeps = settings["keeps"]
    kept = os.environ if keeps is None else {name: os.environ[name] for name in keeps if name in os.environ}
    return {**kept, **settings["env"]}


def start(argv: list[str | bytes], env: dict[str, str], streams: tuple[int, int, int] | str) -> int:
    """Start a process in a session of its own, with all signals as they are by default; return its id.

    Its streams are three descriptors, or the path of the terminal that it shall have (posix_spawn(3) makes the
    session first, and the first terminal that its leader opens controls it).
    """
    actions: list[tuple[object, ...]]
    if isinstance(streams, str):
        actions = [(os.POSIX_SPAWN_OPEN, 0, streams, os.O_RDWR, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, 0, number) for number in (1, 2)]
    else:
        actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    ignored = (_SIGPIPE, _SIGXFSZ)  # Python ignores them, and a child would inherit that
    return os.posix_spawn(argv[0], argv, env, file_actions=actions, setsid=True, setsigdef=ignored)


def found(program: str) -> str:
    """Return the path of a program in PATH, or its bare name."""
    places = [f"{place}/{program}" for place in os.environ.get("PATH", "").split(":") if place]
    return next((place for place in places if os.access(place, os.X_OK)), program)


def kill(process: int) -> None:
    """Kill a process that is a session leader with its group; what is left of it goes with the sandbox's item."""
    for end in (os.killpg, os.kill):
        try:
            end(process, _SIGKILL)
        except OSError:
            pass


def end_of(process: int) -> int:
    """Return a descriptor that becomes readable when a process ends (pidfd_open(2))."""
    return os.pidfd_open(process)


def write_all(descriptor: int, data: bytes) -> None:
    """Hand data on."""
    while data:
        data = data[os.write(descriptor, data) :]


def find_line(data: bytes, marker: bytes, *, at_line_start: bool, after_line: bool) -> int:
    """Return where `marker` stands, or -1; `after_line` says whether the data begins a line."""
    if not at_line_start:
        return data.find(marker)
    if after_line and data.startswith(marker):
        return 0
    return data.find(b"\n" + marker) + 1 or -1


class Stillness:
    """Tells when a session can never go on by itself.

    That is proved where every process of it sleeps in a call without a time limit that only another of them or a
    keystroke could end, and none of them ran between two looks. A process that is still to be woken by a timer
    which it set before it went to sleep there (alarm(2)) would be missed.
    """

    def __init__(self, root: int, *, bystanders: tuple[int, ...] = ()) -> None:
        self._root = root
        self._bystanders = {os.getpid(), *bystanders}
        self._place = os.getcwd()
        self._born = _born(os.getpid())
        self._calls = _ENDLESS.get(os.uname().machine, {})
        self.restart()

    def restart(self) -> None:
        """Something has happened: what was seen before proves nothing any more."""
        self._pause = _FIRST_PAUSE_S
        self._seen: tuple[object, ...] | None = None
        self._seen_at = 0.0

    @property
    def pause_ms(self) -> float:
        """How long to wait for something to happen before the next look."""
        return 1000 * self._pause

    def is_proved(self) -> bool:
        """Look; return whether nothing can happen any more."""
        picture = self.picture()
        now = time.monotonic()
        if picture is not None and picture == self._seen:
            return now - self._seen_at >= _WITNESSES_APART_S
        self._seen, self._seen_at = picture, now
        self._pause = _WITNESSES_APART_S if picture is not None else min(2 * self._pause, _LONGEST_PAUSE_S)
        return False

    def picture(self, *, alone: bool = False) -> tuple[object, ...] | None:
        """Return each thread with the call it sleeps in and the time it has had; None where one may go on.

        `alone` looks at the shell itself and at nothing that it started.
        """
        try:
            processes = [self._root] if alone else self._processes()
            found = [self._thread(*thread) for process in processes for thread in _threads(process)]
        except OSError:
            return None  # one of them ended just now, or may not be looked at
        return None if None in found or not found else tuple(found)

    def _processes(self) -> list[int]:
        """Return the session's processes, and those that have left it: younger ones at work in its directory."""
        family = _family(self._root)
        known = {*family, *self._bystanders}
        others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in known]
        return family + [process for process in others if self._is_stray(process)]

    def _is_stray(self, process: int) -> bool:
        try:
            return _born(process) >= self._born and os.readlink(f"/proc/{process}/cwd").startswith(self._place)
        except OSError:
            return False  # it has ended, or belongs to somebody else

    def _thread(self, process: int, thread: int) -> tuple[int, bytes, bytes] | None:
        place = f"/proc/{process}/task/{thread}"
        if _read(f"{place}/stat").rpartition(b") ")[2][:1] in b"ZTX":
            return thread, b"", b""  # ended, or stopped until somebody lets it go on
        call = _read(f"{place}/syscall")
        return (thread, call, _read(f"{place}/schedstat")) if self._is_endless(process, call.split()) else None

    def _is_endless(self, process: int, call: list[bytes]) -> bool:
        number = int(call[0]) if call[0].isdigit() else -1
        if number not in self._calls:
            return False
        limit = self._calls[number]
        if limit is None:
            return True
        if limit == "fd":
            kind = os.stat(f"/proc/{process}/fd/{int(call[1], 16)}").st_mode & 0o170000
            return kind in (0o010000, 0o020000)  # a FIFO or pipe, a terminal
        return (
            int(call[5], 16) == 0 and int(call[1], 16) == 1
        )  # of select: no time limit, and standard input alone


def _family(root: int) -> list[int]:
    """Return a process and all its descendants (CONFIG_PROC_CHILDREN). Raises OSError."""
    found = [root]
    for process in found:
        for thread in os.listdir(f"/proc/{process}/task"):
            found += map(int, _read(f"/proc/{process}/task/{thread}/children").split())
    return found


def _born(process: int) -> int:
    """Return when a process was started, in ticks since the machine was (proc_pid_stat(5))."""
    return int(_read(f"/proc/{process}/stat").rpartition(b") ")[2].split()[19])


def _threads(process: int) -> list[tuple[int, int]]:
    return [(process, int(thread)) for thread in os.listdir(f"/proc/{process}/task")]


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()
