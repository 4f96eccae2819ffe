"""The programs compared, a file each: this engine, the floor program, ns-2 and ns-3, each on the scenario of `bench.scenario`."""
