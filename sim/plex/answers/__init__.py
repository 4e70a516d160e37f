"""What the server answers, one module for each thing a client can ask about."""
