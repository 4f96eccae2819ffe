"""Runs on many machines by Dask distributed (`sawtooth[cluster]`): see `cluster.cluster` and docs/clusters.md.

    client                                         worker
    names, resolves, looks into the store    ->    simulates (`worker`)
    metrics, store, tables                   <-    columns as the engine counted them (`parcel`)

`crew` decides how much goes out at a time and takes what comes back, `pool` is all that it sees of Dask, `address` says whom to trust,
`local` starts workers on this machine.
Nothing here is imported unless somebody asks for a cluster.
"""
