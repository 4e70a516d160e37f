"""What stands in deploy/, as far as it can be tried without a daemon."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from release.package import _is_shipped, read_commit
from validation.intake_config import KEYS, resolve_intake, variables

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNIT = (DEPLOY / "stash2plex-intake.service").read_text()


def copied():
    """What the image is made of, as paths below the project's root."""
    words = [line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
    return {word.rstrip("/") for line in words for word in line}


def instructions(name):
    return [line.removeprefix(f"{name} ") for line in DOCKERFILE.splitlines() if line.startswith(f"{name} ")]


def environment_of_image():
    (block,) = re.findall(r"^ENV ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
    return dict(pair.split("=", 1) for pair in block.replace("\\\n", " ").split())


@pytest.fixture
def image(tmp_path):
    """Lay out the image's /app, from exactly what the Dockerfile copies."""
    app = tmp_path / "app"
    app.mkdir()
    for name in copied():
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, app / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, app)
    return app


def test_what_the_image_copies_is_enough_to_run(image, tmp_path):
    environment = {**os.environ, "STASH2PLEX_DATA_DIR": str(tmp_path / "data"), "PYTHONDONTWRITEBYTECODE": "1"}
    for verb, code in ((["status"], 0), (["code", "SONE-760.mp4"], 0), (["run"], 1)):
        done = subprocess.run(
            [sys.executable, str(image / "Stash2Plex.py"), "intake", *verb],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
    assert "WATCH_DIR is not set" in done.stderr


def test_every_module_that_a_service_may_load_is_in_the_image(image):
    """Import them all there, those for PostgreSQL, Stash and WordPress included."""
    modules = [
        ".".join(path.relative_to(image).with_suffix("").parts)
        for folder in ("intake", "cli/intake")
        for path in (image / folder).rglob("*.py")
        if path.name != "__init__.py"
    ]
    assert len(modules) > 40
    code = f"import sys, importlib; sys.path.insert(0, {str(image)!r}); list(map(importlib.import_module, {modules!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=image, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_builder_is_sent_what_the_image_copies():
    allowed = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}
    assert allowed == copied()
    assert all((ROOT / name).exists() for name in allowed)


def test_the_image_runs_what_exists_with_settings_that_exist():
    assert instructions("ENTRYPOINT") == ['["python", "/app/Stash2Plex.py", "intake"]']
    assert instructions("CMD") == ['["run"]']
    assert instructions("STOPSIGNAL") == ["SIGTERM"]
    assert instructions("USER") == ["1000:1000"]  # not root, also where nobody says who
    assert instructions("VOLUME") == [environment_of_image()["STASH2PLEX_DATA_DIR"]]
    (health,) = instructions("HEALTHCHECK")
    assert health.endswith(' CMD ["python", "/app/Stash2Plex.py", "intake", "status"]')
    known = {name for key in KEYS for name in variables(key)} | {"STASH2PLEX_DATA_DIR"}
    assert {name for name in environment_of_image() if not name.startswith("PYTHON")} <= known
    (version,) = re.findall(r"FROM python:(\d+\.\d+)", DOCKERFILE)
    assert version in {"3.11", "3.12", "3.13", "3.14"}


def test_the_composition_sets_only_settings_that_exist_and_needs_its_password():
    known = {name for key in KEYS for name in variables(key)}
    settings = COMPOSE["services"]["intake"]["environment"]
    assert set(settings) <= known
    given = {name: re.sub(r"\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}", r"\1", value) for name, value in settings.items()}
    assert resolve_intake({}, given).problems == ()
    assert resolve_intake({}, given).config.uses_postgres
    required = re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text())
    assert set(required) == {"DB_PASSWORD", "WATCH", "DESTINATION"}


def test_the_composition_holds_together():
    services, volumes = COMPOSE["services"], COMPOSE["volumes"]
    assert (DEPLOY / services["intake"]["build"]["context"] / services["intake"]["build"]["dockerfile"]).exists()
    assert set(services["intake"]["depends_on"]) <= set(services)
    assert "healthcheck" in services["database"]
    mounted = dict(volume.rsplit(":", 1)[::-1] for one in services.values() for volume in one["volumes"])
    image = environment_of_image()
    assert {image["WATCH_DIR"], image["DESTINATION_DIR"], image["STASH2PLEX_DATA_DIR"]} <= set(mounted)
    assert {volume for volume in mounted.values() if "$" not in volume} == set(volumes)
    database = services["database"]["environment"]
    intake = services["intake"]["environment"]
    assert (database["POSTGRES_DB"], database["POSTGRES_USER"]) == (intake["DB_NAME"], intake["DB_USER"])
    assert services["intake"]["stop_grace_period"] == "20s"  # longer than the service takes


def test_the_unit_is_one_and_starts_what_exists():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(UNIT)
    assert unit.sections() == ["Unit", "Service", "Install"]
    service = unit["Service"]
    assert service["ExecStart"].endswith("/Stash2Plex.py intake run")
    assert service["EnvironmentFile"].startswith("/etc/")
    assert service["StateDirectoryMode"] == "0700"
    assert int(service["TimeoutStopSec"]) > 10
    shown = dict(re.findall(r"^#   (\w+)=(.*)$", UNIT, re.MULTILINE))
    assert resolve_intake({}, shown).problems == ()
    assert set(shown) <= {name for key in KEYS for name in variables(key)}
    if analyze := shutil.which("systemd-analyze"):
        path = str(DEPLOY / "stash2plex-intake.service")
        done = subprocess.run([analyze, "verify", path], capture_output=True, text=True, check=False)
        assert "stash2plex-intake" not in done.stderr, done.stderr


def test_no_file_here_is_taken_for_a_plugin_by_stash():
    assert not list(DEPLOY.rglob("*.yml"))


def test_deploy_is_not_in_the_plugins_package():
    contents = read_commit(str(ROOT)).files
    assert not any(path.startswith("deploy/") for path in contents)
    assert not _is_shipped("deploy/compose.yaml", {})
