r"""The probes, and why they stay harmless however a path mangles them.

A probe prints text with `echo` or `printf` into the file `f` of a private directory. A broken path may run any
part of it as shell source: quotes may be gone, words split, joined, cut or doubled, expansions done. What can
come of that is bounded by what the probe is made of, which `is_harmless` checks before anything is run:

* No `/`, no `.` but for an ellipsis between two letters: no word is a path to a program, `..` or a file that `.`
  reads. A redirection writes below the working directory: its target holds no slash, and where `>` stands
  anywhere but before the final `f`, the probe has no `$`, backquote or `~` whose value could hold one. (`>$PATH`
  with what follows it at the end is a path through directories that do not exist; `>~` is a directory.)
* Words are `echo`, `printf`, a few fixed ones and runs of `a`, `b`, `A`, `B` and digits. None of them, and none of
  what is left of them after a character was lost or doubled, names a program that changes anything.
* A substitution holds `:`, `a` or a number. No `{` or operator meets a `(`: no function can call itself.
* `!` is followed by what no line of a shell's history begins with, so that an interactive shell finds no event;
  `^`, its other designator, never begins a line.
* Nothing reads standard input.

That holds against every loss, doubling, splitting and evaluating of what is there; a path that makes up text of
its own is beyond it. `tests/lossless/test_harmless.py` enumerates mangled forms.

All of it also means the same to dash: a path that ends in `sh` is another dialect, not a loss.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree

FIXTURE = FileTree({"b": File(b"")})
"""What lies in the directory: one file, so that a glob finds something."""

_WORDS = frozenset(
    {
        *("echo", "printf", "f", "s", "E", "EOF", "PATH", "0m", "n", "t", "x41", "u0041", "amp", "lt", "quot"),
        *("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "e"),
    }
)
_WORD = re.compile(rb"[A-Za-z0-9_]+")
_PAYLOAD_WORD = re.compile(rb"[abABf0-9_]+")
_FORBIDDEN = re.compile(
    rb"""
    [/.\0]
    | ! (?![\]'"\ \n\t>\\]|\Z)   # an event that a history could hold
    | (?:\A|\n) \^               # quick substitution
    """,
    re.VERBOSE,
)
_SUBSTITUTION = re.compile(rb"\$\((?:\(9\)|:|a)\)|`:`|```\na\n```")
_ELLIPSIS = re.compile(rb"a\.\.\.a")
_AT_LARGE = re.compile(rb"[$`~]")


@dataclass(frozen=True)
class Probe:
    """One command, the class of hazard that it is about, and the states that are right where raw is no measure."""

    hazard: str
    command: bytes
    right: tuple[FileTree, ...] = ()
    """The final states that count as unharmed; empty where it is that of the raw path."""


def is_harmless(command: bytes) -> bool:
    """Tell whether `command` is made of nothing but what the module's docstring allows."""
    rest = _SUBSTITUTION.sub(b"", command)
    return (
        _FORBIDDEN.search(_ELLIPSIS.sub(b"", command)) is None
        and all(_is_harmless_word(word) for word in _WORD.findall(command))
        and not (b"(" in rest and re.search(rb"[{|&;]", rest))
        and rest.count(b"(") <= 2
        and (_AT_LARGE.search(command) is None or command.count(b">") <= 1)
    )


def may_follow(command: bytes) -> bool:
    """Tell whether a command that is left of a harmless one can be run as it is.

    It is a mangled form of it, made on purpose: only an interactive shell's history could make more of it.
    """
    return _FORBIDDEN.search(command) is None


def _is_harmless_word(word: bytes) -> bool:
    return word.decode("ascii") in _WORDS or _PAYLOAD_WORD.fullmatch(word) is not None


def _probes(hazard: str, *commands: str | bytes) -> tuple[Probe, ...]:
    found = (command if isinstance(command, bytes) else to_bytes(command) for command in commands)
    return tuple(Probe(hazard, command) for command in found)


_ONE_LINE = "0123456789ab"
_CONTROLS = "".join(chr(code) for code in range(1, 32) if chr(code) not in "\t\n\r")
_NOT_UTF8 = (
    b"\x80\xbf",  # continuation bytes alone
    b"\xc3(",  # a sequence that is cut off
    b"\xc0\xaf",  # overlong
    b"\xed\xa0\x80",  # a surrogate
    b"\xf5\x80\x80\x80",  # beyond U+10FFFF
    bytes(range(0x80, 0x100)),
)
_TYPOGRAPHY = (
    "\u00e9 \u00df \u201ca\u201d \u2018a\u2019 \u2013 \u2014 \u2026 \uff02a\uff02 \u00a0 \u200b \ufeff \u0085 "
    "\u2028 \u202e \ufb01 e\u0301 \u8a9e \U0001f600 \U0010ffff \ufffd"
)
"""What editors, chats and normalizers make of quotes, dashes, blanks and letters, and the edges of Unicode."""
_NO_FILE, _EMPTY_FILE = FIXTURE, FIXTURE.with_entries({"f": File(b"")})


def _repeated(length: int) -> str:
    """Return text of `length` in which no two neighbours are equal: a lost, doubled or swapped byte shows."""
    return (_ONE_LINE * (length // len(_ONE_LINE) + 1))[:length]


LADDER: tuple[Probe, ...] = (
    *_probes("plain", "echo a>f"),
    *_probes("existing-file", "echo a>b"),
    *_probes("separator", "echo a a>f"),
    *_probes("percent", "echo %>f", "echo '%' '%s%%%9%PATH%%41'>f"),
    *_probes("single-quote", 'echo "\'">f', "echo 'a  a'>f"),
    *_probes("double-quote", "echo '\"'>f", 'echo "a  a">f'),
    *_probes("backslash", "printf %s 'a\\b\\ \\'>f"),
    *_probes("doubled-backslash", "printf %s 'a\\\\b\\\\\\\\'>f"),
    *_probes("dollar", "echo '$9'>f", "echo '$PATH${PATH}$(:)$((9))$$'>f"),
    *_probes("backtick", "echo '`:`' '`'>f"),
    *_probes("newline", "echo 'a\n\nb'>f", "echo a>f\necho b>a", "echo a\\\nb>f", "echo 'a\\\nb'>f"),
    *_probes("exclamation", "echo '!'>f", "echo \"a!]\" 'a!]' a!] ! a>f"),
    *_probes("tab", "echo\t'a\tb' '\t'>f"),
    *_probes("spaces", "echo ' a  b '>f", "echo 'a  \n  b'>f"),
    *_probes("trailing-newline", "echo a>f\\\n", "printf %s 'a\n\n'>f"),
    Probe("leading-dash", b"- echo a>f", right=(_NO_FILE, _EMPTY_FILE)),
    *_probes("leading-dash", "printf %s -a '-' 'a\n-b'>f", "printf %s --a 'a--b'>f"),
    *_probes("carriage-return", "echo 'a\rb' 'a\r'>f", "echo 'a\r\nb'>f"),
    *_probes(
        "not-utf-8", b"printf %s '\xff'>f", b"printf %s " + b" ".join(b"'%s'" % data for data in _NOT_UTF8) + b">f"
    ),
    *_probes("non-ascii", "echo é>f", f"echo '{_TYPOGRAPHY}'>f"),
    *_probes("glob", "echo '*' '?[ab]*'>f"),
    *_probes("semicolon", "echo 'a;b'>f;echo a>b;"),
    *_probes("ampersand", "echo 'a&b'>f&&echo a>b", "echo '&&'>f"),
    *_probes("pipe", ":|echo 'a|b'>f", "echo '||'>f"),
    *_probes("redirection", "echo a>f\necho b>>f", "echo 'a>b' 'a<b'>>f", "echo '>>' '<<'>f"),
    *_probes("hash", "echo '#' a#b>f #b", "#a\necho a>f"),
    *_probes("parenthesis", "(echo '(' ')')>f"),
    *_probes("brace", "echo {} '{a,b}' '{9}' '{\"a\": 9}'>f"),
    *_probes("tilde", "echo '~' a~>f"),
    *_probes("template", "echo '{{9}}' '${{9}}'>f", "echo '{% a %}{# a #}' '#{9}%{a}$(a)'>f"),
    *_probes("entity", "echo '&amp;&lt;&quot;&#39;' '<a>'>f"),
    *_probes("fence", "echo '```\na\n```'>f"),
    *_probes("escape-sequence", "printf %s '\\n\\t\\x41\\u0041\\101'>f"),
    *_probes("long-line", f"echo {_repeated(5000)}>f"),
    *_probes("long-command", "\n".join([f"echo {_repeated(180)}>>f"] * 106)),
    *_probes("empty-argument", "printf '[%s]' '' a ''>f"),
    *_probes("upper-case", "echo 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'>f"),
    *_probes("letters-and-digits", "echo 'abcdefghijklmnopqrstuvwxyz' 0123456789a>f"),
    *_probes("punctuation", "echo 'a=b' = , : + @ _ ] } - a^ %>f", "echo 'a...a'>f"),
    *_probes("control", "printf %s '\x1b[0m'>f", f"printf %s '{_CONTROLS}\x7f'>f"),
    *_probes("long-word", f"echo {_repeated(300)}>f"),
    *_probes("many-words", f"printf %s {' '.join(['a', 'b'] * 200)}>f"),
    *_probes("many-lines", "\n".join(["echo a>>f", "echo b>>f"] * 80)),
    *_probes(
        "heredoc",
        ":<<'E'\n\"'$9`\nE\necho a>f",
        "echo a>f<<E\nb\nE",
        ":<<E\na\nE\necho a>f\n",
        "echo 'a\nEOF\nb'>f",
    ),
    *_probes("mixed-quotes", 'echo "a\'a" \'"a"\' a\\"b\\\'>f', 'printf %s "\\$9\\`\\"\\\\ \'">f'),
    *_probes("unset-variable", 'echo "$a" a>f'),
    *_probes("failing-command", "[ a = b ];echo a>f"),
    *_probes("long-line", f"echo {_repeated(20_000)}>f"),
    *_probes("long-command", "\n".join([f"echo {_repeated(180)}>>f"] * 370)),
)
"""Every class at least once, what matters most first; what a probe is quoted with comes before what it quotes."""

HAZARDS: tuple[str, ...] = tuple(dict.fromkeys(probe.hazard for probe in LADDER))
