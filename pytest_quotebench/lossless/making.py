"""Making commands up: what paths are known to lose in every order, and much that they are not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pytest_quotebench.core.escaping import inside_double_quotes, inside_single_quotes
from pytest_quotebench.core.text import to_bytes

PIECES = (
    *"'\"\\$`*?[]{}()<>|&;#~=+%,:@_- \t\n\r",
    *(
        "a",
        "b",
        "A",
        "9",
        "é",
        "語",
        "😀",
        "\u2028",
        "\u00a0",
        "\ufeff",
        "\x01",
        "\x1b",
        "\x7f",
        "\udcff",
        "\udc80",
    ),
    *("\\\\", "$9", "$PATH-", "${9}", "$(:)", "`:`", "!]", "%s-", "%%", "{}", "{{9}}", "${{9}}", "{a,b}", "a^"),
    *(
        "  ",
        "\r\n",
        "\n\n",
        "\nE\n",
        "&&",
        "||",
        ">>",
        "&amp;",
        "\\n-",
        "\\x41-",
        "''",
        '""',
        "'\\''",
        '\\"',
        "--",
    ),
)
"""What text is made of: every sign that a shell knows, and sequences that mean something to others on the way."""

PALETTES = (
    tuple(piece for piece in PIECES if ">" not in piece and piece != "("),
    tuple(piece for piece in PIECES if not set("$`~(") & set(piece)),
    tuple(piece for piece in PIECES if not set(">{|&;") & set(piece)),
)
"""What may stand together in a harmless command (`probes`): not `>` with `$`, not `(` with `{`."""

_STARTS = ("printf %s ", "printf '[%s]' ")
_BEFORE = ("", "", "", " ", "\n", "#a'\n", ":|", ":<<'E'\n\"'\nE\n")
_AFTER = (">f", ">f", ">f", ">f\n", ">f ", ">f;", ">f #'", ">f&&echo a>b", ">f\\\n", "\\\n>f", "<<E>f\na\nE")
_REPEATS = (60, 300, 1100)
_LONGEST = 20_000
_MOST_PIECES, _MOST_WORDS = 24, 3
_LAST_CODES, _SURROGATES = (0x2FF, 0xFFFF, 0x10FFFF), range(0xD800, 0xE000)


def made_command(random: Random) -> bytes:
    """Return a command that prints made-up texts, quoted in every way, into `f`. Most of them are harmless."""
    palette = random.choice(PALETTES)
    if random.random() < 1 / 4:
        return to_bytes("\n".join(f"{_printing(random, palette)}>>f" for _ in range(random.randint(2, 3))))
    return to_bytes(random.choice(_BEFORE) + _printing(random, palette) + random.choice(_AFTER))


def _printing(random: Random, palette: tuple[str, ...]) -> str:
    words = (random.choice(QUOTINGS)(made_text(random, palette)) for _ in range(random.randint(1, _MOST_WORDS)))
    return random.choice(_STARTS) + " ".join(words)


def made_text(random: Random, palette: tuple[str, ...]) -> str:
    """Return hostile text: of pieces, with any other characters between, or of one piece many times."""
    kind = random.random()
    if kind < 1 / 10:
        return (random.choice(palette) * random.choice(_REPEATS))[:_LONGEST]
    count = random.randint(0, _MOST_PIECES)
    if kind < 3 / 10:
        return "".join(random.choice((random.choice(palette), _character(random))) for _ in range(count))
    return "".join(random.choices(palette, k=count))


def _character(random: Random) -> str:
    code = random.randint(0x80, random.choice(_LAST_CODES))
    return "\ufffd" if code in _SURROGATES else chr(code)


def in_single_quotes(text: str) -> str:
    """Return `text` as one word, between single quotes."""
    return f"'{inside_single_quotes(text)}'"


def in_double_quotes(text: str) -> str:
    """Return `text` as one word, between double quotes."""
    return f'"{inside_double_quotes(text)}"'


def with_backslashes(text: str) -> str:
    """Return `text` as one word, with a backslash before every sign."""
    quoted = "".join(
        "'\n'" if sign == "\n" else sign if sign.isalnum() or not sign.isascii() else f"\\{sign}" for sign in text
    )
    return quoted or "''"


QUOTINGS: tuple[Callable[[str], str], ...] = (in_single_quotes, in_double_quotes, with_backslashes)
"""The ways to make one word of a text."""
