"""What an error means for a job: how often and how soon it is tried again."""
