"""What a test does to the server behind the clients' backs, and what it looks at there."""
