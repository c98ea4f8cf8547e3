"""An initialised git repository without a commit, as a static tree: no `git init` at run time."""

from __future__ import annotations

from types import MappingProxyType

from pytest_quotebench.core.tree import Directory, Entry, File

_CONFIG = b"""[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = QuoteBench
\temail = quotebench@example.invalid
"""

EMPTY_REPOSITORY: MappingProxyType[str, Entry] = MappingProxyType(
    {
        ".git/HEAD": File(b"ref: refs/heads/main\n"),
        ".git/config": File(_CONFIG),
        ".git/info/exclude": File(b""),
        ".git/objects/info": Directory(),
        ".git/objects/pack": Directory(),
        ".git/refs/heads": Directory(),
        ".git/refs/tags": Directory(),
    }
)
"""What `git init` lays down (gitrepository-layout(5)) without the sample hooks; the identity is set locally."""
