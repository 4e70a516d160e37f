"""What goes wrong inside the simulated server."""


class ResolverError(Exception):
    """A resolver's refusal: HTTP 200 with `errors`."""


class OperationCancelled(Exception):
    """The client hung up, or somebody stopped the job."""


class PluginNotLoaded(Exception):
    """Stash would log this and go on without the plugin."""
