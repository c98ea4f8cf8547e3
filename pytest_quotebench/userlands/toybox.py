r"""`toybox`: all that Toybox has, as on Android; it has no awk and no shell of its own: these are the sandbox's.

Measured with 0.8.9 of Debian 12: its sed knows no `--in-place` and `\U`, its grep no `-P` and `\|`, its find no
`-regex`, its xargs no `-I` and `-d`, its head no `-n -1`, its env no `-S`.
"""

from __future__ import annotations

from pytest_quotebench.userlands import of_many

USERLAND = of_many("toybox", "toybox", "toybox --version", install="Install the package toybox.")
