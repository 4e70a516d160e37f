"""What must not get out: secrets, and paths if the user wants them hidden."""
