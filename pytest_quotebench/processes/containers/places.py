"""Where things lie in a container, and what the agent is set up with."""

from __future__ import annotations

WORK, TMP, VAR_TMP = "/qb", "/tmp", "/var/tmp"  # noqa: S108 -- file systems of the container alone
"""The places that can be written to, each a tmpfs with limits; an item finds all of them empty."""
WORK_MODE = 0o711
TASK, AUX = f"{WORK}/task", f"{WORK}/aux"
"""An item's directory and that of its auxiliary files: its own, in one that is not."""

APPLETS = "/applets"
"""Where sets of programs lie that come first in an item's PATH: root's, for all items of the container."""

FIRST_UID, UIDS = 20001, 64
"""The users that items run as, in turn: the next one who is the same comes when nothing of this one is left."""
