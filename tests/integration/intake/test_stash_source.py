"""Stash as a source, and as the one who moves its own files."""

import pytest

from intake.naming.codes import find_codes
from intake.sources.port import Found, Question, SourceAway, SourceRefuses, Unknown, ask_all
from intake.sources.stash_source import StashSource, oshash
from sim.stash.simulator import SimStash
from stash.client import StashClient
from stash.exceptions import StashRefused
from sync_queue.session import Session


@pytest.fixture
def stash(tmp_path):
    with SimStash(scenes=5) as running:
        running.settings.stashes = (str(tmp_path),)
        yield running


@pytest.fixture
def client(stash):
    opened = StashClient(Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), 1.0))
    yield opened
    opened.close()


@pytest.fixture
def source(client):
    return StashSource(lambda: client)


def add_scene(stash, path, **fields):
    scene = stash.library.new_scene()
    for name, value in fields.items():
        setattr(scene, name, value)
    file = stash.library.new_file(str(path), 100)
    scene.files = (file,)
    stash.library.scenes.put(scene)
    return file


def ask(source, path):
    return ask_all([source], Question(str(path), find_codes(path.name)))


def test_a_file_is_known_by_its_path(stash, source, tmp_path):
    add_scene(stash, tmp_path / "holiday.mp4", title="Holiday", code="", studio_id=1)
    answer = ask(source, tmp_path / "holiday.mp4")
    assert isinstance(answer, Found)
    assert (answer.work.title, answer.work.source, answer.code.text) == ("Holiday", "Stash", "")


def test_a_file_is_known_by_its_hash_wherever_stash_sees_it(stash, source, tmp_path):
    path = tmp_path / "renamed.mp4"
    path.write_bytes(bytes(range(256)) * 1000)
    add_scene(stash, "/elsewhere/film.mp4", title="Film", code="ABC-123").oshash = oshash(str(path))
    answer = ask(source, path)
    assert isinstance(answer, Found)
    assert (answer.work.title, answer.code.text) == ("Film", "ABC-123")


def test_another_copy_is_known_by_its_code_and_only_the_same_code_counts(stash, source, tmp_path):
    add_scene(stash, "/elsewhere/a.mp4", title="Wrong", code="SONEX760")
    assert ask(source, tmp_path / "SONE_760.mp4") == Unknown(())
    add_scene(stash, "/elsewhere/b.mp4", title="Right", code="sone-760")
    assert ask(source, tmp_path / "SONE-760.mp4").work.title == "Right"


def test_a_scene_that_nobody_described_says_nothing(stash, source, tmp_path):
    add_scene(stash, tmp_path / "SONE-760.mp4", title="SONE-760")
    assert ask(source, tmp_path / "SONE-760.mp4") == Unknown()


def test_a_stash_that_is_away_or_refuses_is_told_apart(stash, source, tmp_path):
    assert "5 scenes" in source.check()
    stash.stop()
    with pytest.raises(SourceAway):
        ask(source, tmp_path / "SONE-760.mp4")


def test_a_wrong_key_is_a_persons_case(stash, tmp_path):
    stash.set_credentials("someone")
    source = StashSource(lambda: StashClient(Session("http", "127.0.0.1", stash.port, "", 1.0, api_key="wrong")))
    with pytest.raises(SourceRefuses):
        ask(source, tmp_path / "SONE-760.mp4")
    source.close()


def test_stash_moves_its_own_files_and_overwrites_none(stash, client, tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"film")
    file = add_scene(stash, path, code="ABC-123")
    client.move_file(file.id, str(tmp_path / "Library" / "A"), "new name.mp4")
    assert (tmp_path / "Library" / "A" / "new name.mp4").read_bytes() == b"film"
    (found,) = client.scenes_of_file(str(tmp_path / "Library" / "A" / "new name.mp4"), "", [])
    assert found.file_id == file.id
    path.write_bytes(b"another")
    other = add_scene(stash, path)
    with pytest.raises(StashRefused, match="already exists"):
        client.move_file(other.id, str(tmp_path / "Library" / "A"), "new name.mp4")
    assert path.read_bytes() == b"another"
    with pytest.raises(StashRefused, match="must be within"):
        client.move_file(other.id, "/outside", "new name.mp4")
