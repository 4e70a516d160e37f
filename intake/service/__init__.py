"""The service: scans, takes files through the lanes, and stops when it is told to."""
