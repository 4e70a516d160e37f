"""How everything stands: the worker, the queue, each target, and what needs a person."""
