"""Mechanics of the docker sandbox: the engine's side, and the agent that runs as first process of a container.

    host                                           container (no network, read-only root)
    engine      which engine, which image          agent    first process, root with four capabilities
    containers  create, attach, start, remove        setup  what an item's process does to itself before it runs
    ownership   whose a container is, and is it stale
    channel     one attached stream              <->
    messages    what both sides say (frames of JSON and bytes)

`agent`, `setup`, `messages` and what they import are sent to the container when it starts: they use nothing but
the standard library and the modules that `program` names.
"""
