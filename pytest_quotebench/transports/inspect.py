"""`inspect`: the bash tool of inspect_ai: the command is the one argument of `bash --login -c`.

Source: UKGovernmentBEIS/inspect_ai at 499e6152, tool/_tools/_execute.py. Real: the argument list and the empty
standard input. Not emulated: `docker compose exec` before it, which hands its arguments on as they are, and
`timeout -k 5s`. `bash_session`, the tool on a pseudo-terminal, is another path.
End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import LastArgument
from pytest_quotebench.transports import Transport

TRANSPORT: Transport = LastArgument((b"bash", b"--login", b"-c"))
