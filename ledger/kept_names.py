"""Names of small values in the ledger by which one process tells another something."""

MACHINE_AT = "machine "  # and an address: the server that answered there last, and no other is written to
FORGOTTEN_AT = "matches_forgotten_at"  # Clear Match Cache was run: a living worker that sees it change starts over
TRY_AT = "asked_to_try_at"  # a person wants Plex asked now, whatever the circuit says
LAST_SWEEP = "last_sweep"  # how the last whole sweep went
