"""Everything that talks to Stash: the wire protocol and GraphQL."""
