"""Linux namespaces without any program but this Python.

Three processes stand between pytest and a command. The *helper* is a fresh interpreter with an empty environment;
it makes the namespaces, watches over pytest's life and stays outside. The *zygote* is the first process inside,
sees a minimal read-only system and starts one *init* for each item, ahead of time, in a pid and a mount namespace
of its own. The init starts the command, waits for it and ends; with it the kernel ends everything in its namespace
(pid_namespaces(7)). Modules that run inside import the standard library and each other, nothing else.
"""
