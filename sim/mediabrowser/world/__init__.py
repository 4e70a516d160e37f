"""What the simulated server knows and does: items, pictures, files on the disk, scans, users."""
