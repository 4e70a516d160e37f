"""The queue: worked on, cleared, and the jobs that were given up."""
