"""Controllers of one's own: loaded from files (`load`), written in Python (`controller`), begun from a template (`project`) and held to
what every controller is held to (`conformance`).

Source: none; the interface is `crates/plugin/include/sawtooth.h`, docs/plugins.md explains it.
"""
