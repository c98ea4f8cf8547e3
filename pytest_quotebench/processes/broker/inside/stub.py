"""Called `docker` or `ssh`: hands its arguments, and as ssh its input, to the broker, and does as it is told.

`_socket` is loaded in a third of the time that `socket` takes, and nothing else of it is needed.
"""

import _socket
import os
import select
import sys

_PIECE = 2**16
_HEADER = 5
_OUTPUT, _ERROR, _STATUS = b"o", b"e", b"x"
_NO_BROKER = 125


def main() -> None:
    """Call, and end with the status that comes back."""
    stub = os.path.abspath(sys.argv[0])
    broker = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        os.chdir(os.path.dirname(stub))  # a path to a socket must be short (unix(7))
        broker.connect("broker")
        body = b"".join(os.fsencode(word) + b"\0" for word in sys.argv[1:])
        broker.sendall(len(body).to_bytes(4, "big") + body)
        status = _converse(broker, forwards_input=os.path.basename(stub) == "ssh")
    except OSError as error:
        status = None
        sys.stderr.write(f"{os.path.basename(stub)}: no broker: {error.strerror}\n")
    os._exit(_NO_BROKER if status is None else status)


def _converse(broker: _socket.socket, *, forwards_input: bool) -> int | None:
    """Copy until the status comes; None where it does not."""
    descriptor = broker.fileno()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if forwards_input:
        poll.register(0, select.POLLIN)
    else:
        broker.shutdown(_socket.SHUT_WR)
    received = b""
    while True:
        ready = {found for found, _ in poll.poll()}
        if 0 in ready:
            data = _read_input()
            if data:
                broker.sendall(data)
            else:
                poll.unregister(0)
                broker.shutdown(_socket.SHUT_WR)
        if descriptor in ready:
            piece = broker.recv(_PIECE)
            if not piece:
                return None
            received += piece
            while len(received) >= _HEADER and len(received) >= _HEADER + _length(received):
                end = _HEADER + _length(received)
                kind, data, received = received[:1], received[_HEADER:end], received[end:]
                if kind == _STATUS:
                    return data[0]
                _write(2 if kind == _ERROR else 1, data)


def _length(frame: bytes) -> int:
    return int.from_bytes(frame[1:_HEADER], "big")


def _read_input() -> bytes:
    try:
        return os.read(0, _PIECE)
    except OSError:
        return b""


def _write(descriptor: int, data: bytes) -> None:
    """Write all of it; what nobody reads is dropped, as ssh(1) does."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return


if __name__ == "__main__":
    main()
