"""Between a stub and a client of this machine: input one way, output the other, none of it waited for."""

from __future__ import annotations

import os
import select
import subprocess

from pytest_quotebench.processes.broker.wire import ERROR, OUTPUT, Conversation, is_gone

_PIECE = 2**16


def relayed(process: subprocess.Popen[bytes], conversation: Conversation) -> bool:
    """Copy until both outputs of the process end; return whether the stub was there until then."""
    return _Relay(process, conversation).run()


class _Relay:
    def __init__(self, process: subprocess.Popen[bytes], conversation: Conversation) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._conversation = conversation
        self._stub = conversation.connection.fileno()
        self._stdin = process.stdin
        self._outputs = {process.stdout.fileno(): OUTPUT, process.stderr.fileno(): ERROR}
        self._pending = b""
        self._poll = select.poll()
        for output in self._outputs:
            self._poll.register(output, select.POLLIN)
        self._poll.register(self._stub, select.POLLIN)
        os.set_blocking(self._stdin.fileno(), False)

    def run(self) -> bool:
        while self._outputs:
            for descriptor, events in self._poll.poll():
                if descriptor in self._outputs:
                    self._copy_output(descriptor)
                elif descriptor != self._stub:
                    self._pass_input()
                elif is_gone(events):
                    return False
                else:
                    self._take_input()
        return True

    def _copy_output(self, output: int) -> None:
        piece = os.read(output, _PIECE)
        if piece:
            self._conversation.say(self._outputs[output], piece)
        else:
            self._poll.unregister(output)
            del self._outputs[output]

    def _take_input(self) -> None:
        """Take input, and no more until it is passed on: a client that does not read must not fill our memory."""
        self._pending = self._conversation.input()
        self._poll.modify(self._stub, 0)
        if self._pending:
            self._poll.register(self._stdin, select.POLLOUT)
        else:
            self._stdin.close()

    def _pass_input(self) -> None:
        try:
            self._pending = self._pending[os.write(self._stdin.fileno(), self._pending) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._pending = b""
        if not self._pending:
            self._poll.unregister(self._stdin)
            self._poll.modify(self._stub, select.POLLIN)
