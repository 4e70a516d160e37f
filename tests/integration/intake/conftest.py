"""One PostgreSQL for all tests here; each has a database of its own."""

import pytest

from tests.support.intake_stores import PostgresDatabase, SqliteDatabase
from tests.support.postgres import PostgresServer


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
