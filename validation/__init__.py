"""Raw to typed, no I/O."""
