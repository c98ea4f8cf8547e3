r"""`busybox`: all that BusyBox has, its sh too, as on Alpine; bash, git, jq and python3 are the sandbox's.

Measured with 1.35 of Debian 12 (269 applets): its sed knows no `-z` and `\U`, its grep no `-P`, `--include` and
`-Z`, its find no `-printf`, `-delete` and `-newermt`, its env no `-S`; its sh takes its own applets before PATH.
"""

from __future__ import annotations

from pytest_quotebench.userlands import of_many

USERLAND = of_many(
    "busybox", "busybox --list", "busybox", install="Install the package busybox-static, or busybox."
)
