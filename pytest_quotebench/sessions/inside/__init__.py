"""The drivers: Python that runs inside a sandbox, with the standard library alone and without this package.

A driver is sent as one file, `common.py` and the file of its kind joined (`sessions.driver`). It starts one fresh
session, types only after the prompt, waits for the end event that the transport names, hands on the session's
output, writes its report and exits with the status that the carrier learned. What it imports is time for every
item: `json` and `re` cost as much as a shell, and are not used.
"""
