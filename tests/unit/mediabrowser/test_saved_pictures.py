"""Pictures that ours took the place of, kept as files."""

import pytest

from mediabrowser.connection import FileAnswer
from mediabrowser.pictures.saved import MOST, SavedPictures


@pytest.fixture
def saved(tmp_path):
    return SavedPictures(str(tmp_path / "pictures"))


def test_what_is_saved_is_found_by_item_kind_and_tag(saved):
    saved.save("1", "Primary", "tag/../x", FileAnswer(b"one", "image/gif"))
    saved.save("1", "Thumb", "t", FileAnswer(b"two", "image/gif"))
    assert (saved.tags("1", "Primary"), saved.tags("1", "Thumb"), saved.tags("2", "Primary")) == (
        ["tag/../x"],
        ["t"],
        [],
    )
    assert saved.load("1", "Primary", "tag/../x") == FileAnswer(b"one", "image/gif")
    assert saved.load("1", "Primary", "other") is None


def test_a_strange_id_stays_in_the_folder(saved, tmp_path):
    saved.save("../../x", "Primary", "t", FileAnswer(b"one", "image/gif"))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    assert all(file.is_relative_to(tmp_path / "pictures") for file in files)


def test_of_very_many_the_first_and_the_last_stay(saved):
    for number in range(MOST + 5):
        saved.save("1", "Primary", str(number), FileAnswer(b"x", "image/gif"))
    tags = saved.tags("1", "Primary")
    assert len(tags) == MOST
    assert (tags[0], tags[-1]) == ("0", str(MOST + 4))


def test_half_a_file_is_none(saved, tmp_path, monkeypatch):
    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        saved.save("1", "Primary", "t", FileAnswer(b"one", "image/gif"))
    assert saved.tags("1", "Primary") == []
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
