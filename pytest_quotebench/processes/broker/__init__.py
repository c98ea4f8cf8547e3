"""A broker: what a stub inside a sandbox asks for, done outside of it, with one verb for one target.

    sandbox                                        outside (threads of this process)
    near.sh   puts the stub first in PATH            place     binds the item's socket where the sandbox says
    stub.py   is called `docker` or `ssh`      <->   serving   takes calls, bounds them, ends them with the item
                                                     wire      what both sides say
                                                     container one `docker exec` for each call, in one container
                                                     host      one ssh(1) for each call, to one host
                                                     archive   a tree as a tar file, and back, believed in nothing

Whoever is inside may speak any bytes to the socket: they are a list of words, or nothing happens. No socket of an
engine, no key and no connection to a host is ever inside.
"""
