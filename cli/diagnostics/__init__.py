"""The bundle that helps others to see what is wrong, and gives nothing away."""
