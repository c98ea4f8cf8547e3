"""What the variables and special parameters of a fresh `bash -c` hold, in the fixed environment of a command."""

from __future__ import annotations

from types import MappingProxyType

from pytest_quotebench.core.execution import execution_environment

_ENVIRONMENT = execution_environment("")
_KNOWN = MappingProxyType(
    {name: _ENVIRONMENT[name] for name in ("LC_ALL", "LANG", "TERM")}
    | {"0": "bash", "#": "0", "?": "0", "-": "hBc", "@": "", "*": "", "!": ""}
)
_SET_BY_BASH = frozenset(
    {
        *("$", "_", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HOSTNAME"),
        *("HOSTTYPE", "IFS", "LINENO", "MACHTYPE", "OLDPWD", "OPTERR", "OPTIND", "OSTYPE", "PIPESTATUS", "PPID"),
        *("PS4", "PWD", "RANDOM", "SECONDS", "SHELL", "SHELLOPTS", "SHLVL", "SRANDOM", "UID"),
    }
)
_HELD = _SET_BY_BASH | (_ENVIRONMENT.keys() - _KNOWN.keys())
_PREFIXES_OF_BASH = ("BASH", "COMP_", "HIST")


def known_value(name: str) -> str | None:
    """Return the value of a variable or special parameter, empty where it is unset; None where it depends."""
    if name in _KNOWN:
        return _KNOWN[name]
    return None if name in _HELD or name.startswith(_PREFIXES_OF_BASH) else ""
