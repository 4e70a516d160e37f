"""The fast path: from a Stash hook to a durable job, standard library only."""
