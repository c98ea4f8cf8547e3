"""Sessions: what the transports share that type a command into a shell which waits for more.

A session is played by a driver, a program that runs first inside the sandbox. `inside/` holds the drivers, which
see nothing of this package; this side of the wall builds their invocation and judges what they report.
"""
