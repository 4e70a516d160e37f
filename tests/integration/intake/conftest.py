"""One PostgreSQL for all tests here; each has a database of its own. Machines of intake over a simulated WordPress."""

import pytest

from sim.wordpress.server import SimWordPress
from sim.wordpress.works import make_work
from tests.support.intake.postgres import PostgresServer
from tests.support.intake.service import IntakeRig
from tests.support.intake.stores import PostgresDatabase, SqliteDatabase


@pytest.fixture(scope="session")
def postgres_server():
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres(postgres_server, monkeypatch):
    database = PostgresDatabase(postgres_server, monkeypatch)
    yield database
    database.close()


@pytest.fixture
def sqlite(tmp_path):
    database = SqliteDatabase(tmp_path / "intake")
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def site():
    with SimWordPress() as running:
        running.add("SONE-760", make_work("SONE-760", title="A title", actress=["Ruri Saijo"]))
        yield running


@pytest.fixture
def make_rig(tmp_path, database, site):
    rigs = []

    def make(**changes):
        rigs.append(IntakeRig(tmp_path, changes.pop("on", database), site, **changes))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


@pytest.fixture
def rig(make_rig):
    return make_rig()
