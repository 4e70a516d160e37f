"""Reading: what the servers answer, into typed values."""
