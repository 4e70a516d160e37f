"""Run-time packages: found, or installed into the data folder, or explained."""

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata

from runtime.folder import DataFolder
from runtime.lock import FileLock, is_held
from runtime.site_packages import turn_on_site_packages
from runtime.state_file import read_state, write_state

INSTALL_TIMEOUT_SECONDS = 600.0
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULES = {
    "persist-queue": "persistqueue",
    "stashapp-tools": "stashapi.classes",
    "PyYAML": "yaml",
    "graphql-core": "graphql",
}
REQUIREMENTS = os.path.join(ROOT, "requirements.txt")
POSTGRES_REQUIREMENTS = os.path.join(ROOT, "requirements-postgres.txt")
INSTALLING = "The worker is installing the Python packages that it needs; that takes about half a minute, once."


class PackagesMissing(Exception):
    """The packages cannot be had; the text says why and what to type."""


@dataclass(frozen=True)
class Requirement:
    """One line of a requirements file: a name and the numeric bounds of its version."""

    name: str
    bounds: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def parse(cls, line: str) -> "Requirement":
        plain = re.sub(r"\[.*?\]", "", line.split("#", maxsplit=1)[0])  # extras are pip's business
        name, *bounds = re.findall(r"[<>=]=?[\d.]+|[\w.-]+", plain)
        return cls(name, tuple((bound.rstrip("0123456789."), _numbers(bound.lstrip("<>="))) for bound in bounds))

    def is_met(self) -> bool:
        try:
            version = _numbers(metadata.version(self.name))
        except metadata.PackageNotFoundError:
            return False
        return all(_holds(version, sign, bound) for sign, bound in self.bounds)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in leading.group().split(".")) if leading else ()


def _holds(version: tuple[int, ...], sign: str, bound: tuple[int, ...]) -> bool:
    match sign:
        case ">=":
            return version >= bound
        case "<":
            return version < bound
        case "==":
            return version == bound
        case _:
            raise ValueError(f"requirements.txt uses {sign!r}, which the loader does not know")


def read_requirements(*paths: str) -> list[Requirement]:
    lines: list[str] = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines += [line for line in file if line.strip() and not line.startswith(("#", "-"))]
    return [Requirement.parse(line) for line in lines]


class PackageLoader:
    """Makes the packages of requirements files importable in this process."""

    def __init__(self, folder: DataFolder, *requirement_files: str) -> None:
        self._folder = folder
        self._files = requirement_files or (REQUIREMENTS,)
        tag = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
        self._target = os.path.join(folder.packages_dir, str(tag))
        self._state = os.path.join(folder.root, "packages.json")
        self._lock = os.path.join(folder.root, "packages.lock")

    def ready(self) -> bool:
        """Say whether everything is there and can be imported; costs no process and no network."""
        return not self.missing() and self._unimportable() is None

    def missing(self) -> list[str]:
        """Name what is not there in a fitting version. It imports nothing, so it is quicker than `ready`."""
        turn_on_site_packages()
        if self._unmet():
            self.use_installed()
        return self._unmet()

    def use_installed(self) -> None:
        """Have Python look where packages were installed before, if they were."""
        if os.path.isdir(self._target) and self._target not in sys.path:
            # Behind our own folder, before the system's: the system may have a version that does not fit.
            sys.path.insert(1, self._target)
            importlib.invalidate_caches()

    def is_installing(self) -> bool:
        """Say whether a process is installing them now."""
        return is_held(self._lock)

    def load(self) -> None:
        """Make everything importable, installing it at most once at a time; raise PackagesMissing if it cannot be."""
        if self.ready():
            return
        self._folder.make()
        lock = FileLock(self._lock)
        if not lock.wait(INSTALL_TIMEOUT_SECONDS):
            raise PackagesMissing("Another process has been installing the Python packages for ten minutes. Try again.")
        try:
            self._install_unless_ready()
        except PackagesMissing as problem:
            self._note(str(problem))
            raise
        except OSError as error:
            problem = PackagesMissing(f"The packages could not be put into {self._target}: {error.strerror}.")
            self._note(str(problem))
            raise problem from error
        finally:
            lock.release()
        self._note(None)

    def problem(self) -> str | None:
        """Return what the last installation said, if it failed."""
        return read_state(self._state).get("problem")

    def _unmet(self) -> list[str]:
        return [requirement.name for requirement in read_requirements(*self._files) if not requirement.is_met()]

    def _unimportable(self) -> str | None:
        """Name what is installed and yet broken: built for another machine, or half deleted."""
        for requirement in read_requirements(*self._files):
            module = MODULES.get(requirement.name, requirement.name)
            try:
                importlib.import_module(module)
            except ImportError as error:
                return f"{requirement.name} ({error})"
        return None

    def _note(self, problem: str | None) -> None:
        with contextlib.suppress(OSError):  # a full disk has been told already
            write_state(self._state, {"problem": problem} if problem else {})

    def _install_unless_ready(self) -> None:
        if self.ready():
            return
        broken = None if self.missing() else self._unimportable()
        if broken and not os.path.isdir(self._target):
            raise PackagesMissing(
                f"A Python package is installed and cannot be imported: {broken}. Install it anew: "
                f"{sys.executable} -m pip install --force-reinstall -r {REQUIREMENTS}"
            )
        self._install()

    def _install(self) -> None:
        names = ", ".join(self.missing())
        if importlib.util.find_spec("pip") is None:
            raise PackagesMissing(
                f"Python packages are missing ({names}) and this Python ({sys.executable}) has no pip to install them "
                f"with. Install pip (Alpine: apk add py3-pip; Debian: apt install python3-pip) and try again. "
                f"Edits are being queued meanwhile; nothing is lost."
            )
        fresh = f"{self._target}.{os.getpid()}.new"  # a pip whose worker was killed may still be at work on its own
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--target",
            fresh,
            "--no-input",
            "--no-warn-script-location",
        ]
        for file in self._files:
            command += ["-r", file]
        complaint = _run_pip([*command, "--disable-pip-version-check", "--quiet", "--retries", "2", "--timeout", "15"])
        if complaint is not None:
            shutil.rmtree(fresh, ignore_errors=True)
            by_hand = f"{sys.executable} -m pip install --target {self._target} -r {' -r '.join(self._files)}"
            raise PackagesMissing(
                f"Python packages are missing ({names}) and pip could not install them: {complaint} "
                f"Check that this machine reaches a package index, or install them by hand: {by_hand} "
                f"Edits are being queued meanwhile; nothing is lost."
            )
        shutil.rmtree(self._target, ignore_errors=True)
        os.replace(fresh, self._target)
        importlib.invalidate_caches()
        if not self.ready():
            wrong = ", ".join(self.missing()) or self._unimportable()
            raise PackagesMissing(f"pip filled {self._target}, but this does not work: {wrong}. Delete that folder.")


def _run_pip(command: list[str]) -> str | None:
    """Run pip; return its complaint, or None when all went well."""
    environment = os.environ | {"PIP_USER": "0"}  # a pip.conf with user = true contradicts --target
    try:
        pip = subprocess.run(  # noqa: S603 - our own interpreter, our own requirements
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it did not finish within ten minutes."
    except OSError as error:
        return f"it could not be started ({error.strerror})."
    if pip.returncode == 0:
        return None
    errors = [line for line in pip.stderr.splitlines() if line.startswith("ERROR")] or pip.stderr.splitlines()
    last = errors[-1] if errors else f"it ended with code {pip.returncode}."
    return re.sub(r"://[^/\s@]+@", "://", last)  # an index address may carry a password
