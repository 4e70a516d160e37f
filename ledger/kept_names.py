"""Names of small values in the ledger by which one process tells another something."""

FORGOTTEN_AT = "matches_forgotten_at"  # Clear Match Cache was run: a living worker that sees it change starts over
TRY_AT = "asked_to_try_at"  # a person wants Plex asked now, whatever the circuit says
