"""The helper and the zygote: `main` is what the fresh interpreter runs."""

from __future__ import annotations

import errno
import gc
import marshal
import os
import platform
import select
import signal
import socket
import sys
from typing import NoReturn

from pytest_quotebench.processes import cgroups
from pytest_quotebench.processes.namespaces import item, kernel, messages, seccomp, view
from pytest_quotebench.processes.namespaces.kernel import StepFailed
from pytest_quotebench.processes.namespaces.messages import Parameters

_NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
_SPARE_PROCESSES = 16
_BOUNDED, _UNBOUNDED = b"b", b"u"
"""The helper's word that the zygote may go on: whether a cgroup bounds it."""


def main(descriptor: int) -> NoReturn:
    """Set the namespaces up as the first message says, and serve items until pytest's side is gone."""
    channel = socket.socket(fileno=descriptor)
    channel.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        message = messages.receive(channel)
        if message is not None:
            _help(channel, Parameters.unpacked(message.body))
    except BaseException as error:  # noqa: BLE001 -- whatever it was, the other side is to hear of it
        _tell(channel, error)
    os._exit(1)


def _help(channel: socket.socket, parameters: Parameters) -> NoReturn:
    """Start the zygote, and end it when pytest ends."""
    parent = kernel.pidfd_open(os.getppid())
    os.umask(0o022)
    kernel.erase_arguments()
    _be_first_to_go()
    group = cgroups.create(parameters.memory_bytes, parameters.processes)
    try:
        lifeline, our_end = os.pipe()
        zygote = kernel.clone(_NAMESPACES)
        if zygote == 0:
            os.close(our_end)
            os.close(parent)
            _be_zygote(channel, parameters, lifeline, group)
        _map_users(zygote, parameters)
        is_bounded = group is not None and group.add(zygote)
        os.write(our_end, _BOUNDED if is_bounded else _UNBOUNDED)
        channel.close()
        _wait_for_the_end(parent, zygote)
    finally:
        if group is not None:
            group.remove()
    os._exit(0)


def _map_users(zygote: int, parameters: Parameters) -> None:
    """Map the items' user and group (user_namespaces(7)).

    Where root is somebody else it is mapped as well: otherwise it could make nothing in an item's file systems
    from outside (EOVERFLOW).
    Nobody in there can become root: an item has no capability, no new privileges and no set-user-ID file.
    """
    ours = ""
    if parameters.user.is_somebody_else:
        ours = "0 0 1\n"
    else:
        _write(f"/proc/{zygote}/setgroups", "deny")
    _write(f"/proc/{zygote}/uid_map", f"{ours}{view.UID} {parameters.user.uid} 1")
    _write(f"/proc/{zygote}/gid_map", f"{ours}{view.UID} {parameters.user.gid} 1")


def _wait_for_the_end(parent: int, zygote: int) -> None:
    """Return when all is over: pytest is gone, or the zygote is."""
    its_end = kernel.pidfd_open(zygote)
    ends = select.poll()
    ends.register(parent, select.POLLIN)
    ends.register(its_end, select.POLLIN)
    ends.poll()
    os.kill(zygote, signal.SIGKILL)
    os.waitpid(zygote, 0)


def _be_zygote(
    channel: socket.socket, parameters: Parameters, lifeline: int, group: cgroups.Cgroup | None
) -> NoReturn:
    try:
        if not _become_nobody(lifeline):
            group = None
        auxiliary = view.enter_view()
        view.bring_loopback_up()
        socket.sethostname("sandbox")
        kernel.join_new_keyring()
        kernel.empty_capability_bounds()
        kernel.prctl("forbid new privileges", kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl("let an init's namespace be held", kernel.PR_SET_DUMPABLE, 1)
        if group is not None:
            # The cgroup bounds memory, and counts a process that is one too many before the rlimit refuses it.
            parameters = parameters._replace(memory_bytes=0, processes=parameters.processes + _SPARE_PROCESSES)
        messages.send(channel, messages.AUXILIARY, marshal.dumps(tuple(group or ([], []))), (auxiliary,))
        os.close(auxiliary)
        _serve(channel, parameters)
    except BaseException as error:  # noqa: BLE001 -- as in main
        _tell(channel, error)
    os._exit(1)


def _become_nobody(lifeline: int) -> bool:
    """Become the items' user, capabilities kept, and go when the helper goes; tell whether a cgroup bounds us."""
    word = os.read(lifeline, 1)
    if not word:
        os._exit(1)
    if os.geteuid() != view.UID:
        kernel.prctl("keep capabilities", kernel.PR_SET_SECUREBITS, kernel.SECBIT_NO_SETUID_FIXUP)
        os.setgroups([])
        os.setresgid(view.UID, view.UID, view.UID)
        os.setresuid(view.UID, view.UID, view.UID)
    kernel.prctl("die with the parent", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    watch = select.poll()
    watch.register(lifeline, 0)
    if watch.poll(0):
        os._exit(1)  # the helper went before that took effect
    return word == _BOUNDED


def _serve(channel: socket.socket, parameters: Parameters) -> NoReturn:
    """Start one init after the other; each waits for its item before the next one is started."""
    program = seccomp.filter_program(platform.machine())
    former = None
    gc.collect()
    gc.freeze()
    while True:
        init = kernel.clone(kernel.CLONE_NEWNS | kernel.CLONE_NEWPID)
        if init == 0:
            _be_init(channel, parameters, program)
        place = _hold_mounts(init)
        if former is not None:
            os.close(former)
        former = place
        status = os.waitpid(init, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
            os._exit(0)


def _hold_mounts(init: int) -> int | None:
    """Hold an init's mount namespace, whose end takes longer than the item's, until nobody waits for that.

    Refused where the init has already closed itself to others, which costs time and nothing else.
    """
    try:
        return os.open(f"/proc/{init}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _be_init(channel: socket.socket, parameters: Parameters, program: bytes) -> NoReturn:
    try:
        item.run_item(channel, parameters, program)
    except BaseException as error:  # noqa: BLE001 -- as in main
        _tell(channel, error)
    os._exit(1)


def _tell(channel: socket.socket, error: BaseException) -> None:
    step = error.step if isinstance(error, StepFailed) else f"{type(error).__name__}: {error}"
    number = getattr(error, "errno", None) or errno.EIO
    try:
        messages.send(channel, messages.FAILED, f"{number} {step}".encode("utf-8", "replace"))
    except OSError:
        os._exit(1)


def _be_first_to_go() -> None:
    """Where memory runs out, let the kernel take these processes before any other (proc_pid_oom_score_adj(5))."""
    _write("/proc/self/oom_score_adj", "1000")


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        raise StepFailed(f"write {path}", error.errno or errno.EIO) from error


if __name__ == "__main__":
    main(int(sys.argv[1]))
