"""What went between the page and the plugin, as texts in which a secret can be looked for."""

from sim.stash.shell.front import OPERATION, TASK, ShellFront


def arguments_and_answers(front: ShellFront) -> list[str]:
    """One text for each operation and task: its variables and its answer."""
    return [str((one.variables, one.answer)) for name in (OPERATION, TASK) for one in front.asked(name)]
