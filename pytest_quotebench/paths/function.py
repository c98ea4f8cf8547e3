"""A command path that is a Python function, sync or async."""

from __future__ import annotations

import time

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.errors import BadInput, Broken, TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.calling import Answer, Caller, GaveUpError, Run
from pytest_quotebench.processes.workplace import Workplace, workplace


class FunctionPath:
    """Runs a command by calling `run(command, cwd)`, which returns an exit status and output.

    It is called on this machine, in a thread of its own. An exception is a `transport-error`; what does not
    return before the limit is a `timeout`, and goes on for as long as it likes: nothing can end a function. Its
    one output is kept as standard error, which the failure classes read.
    """

    on_host = True

    def __init__(self, name: str, run: Run) -> None:
        """Take the function; `name` is for messages."""
        self._name = name
        self._caller = Caller(run)

    def execute(self, tree: FileTree, command: str, limits: Limits) -> Execution:
        """Call the function in a fresh directory that holds `tree`.

        Raises TransportError (`refused`) for what the function raises, Broken (`path`) where it gives no pair.
        """
        with workplace(tree) as place:
            started = time.monotonic()
            answer = self._called(encoded(command), place, limits)
            duration = time.monotonic() - started
            after = place.capture(limits.tree)
        output = answer.output if answer else b""
        status = answer.exit_status if answer else None
        return Execution(
            exit_status=status if status is not None and status >= 0 else None,
            signal=-status if status is not None and status < 0 else None,
            stdout=b"",
            stderr=output[: limits.kept_output_bytes],
            stdout_length=0,
            stderr_length=len(output),
            duration_s=duration,
            timed_out=answer is None,
            detail=after.limit,
            tree=after.tree,
        )

    def plan(self, command: str) -> Invocation:
        """Raise Broken: there is no process that a sandbox could start."""
        raise Broken("path", f"the path {self._name!r} is a function: no sandbox can start it")

    def layers(self, command: str) -> tuple[Layer, ...]:
        """Return what the function gets; what it does with it is not known."""
        return (Layer(f"{self._name}(command, cwd)", command), Layer("what it starts", NOT_OBSERVABLE))

    def matched(self, command: str) -> str:
        """Return the command: a function is meant to deliver it."""
        return command

    def _called(self, command: bytes, place: Workplace, limits: Limits) -> Answer | None:
        try:
            return self._caller.call(command, place.path, limits.wall_s)
        except GaveUpError:
            return None
        except BadInput as error:
            raise Broken("path", f"the path {self._name!r}: {error}") from None
        except Exception as error:
            raise TransportError("refused", f"{self._name} raised {type(error).__name__}: {error}") from error
