"""When and whether: the resident worker process and its loop."""
