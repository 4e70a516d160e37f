"""What the two servers call things, by product and version."""

import pytest

from mediabrowser.dialect import Dialect, Product, Property, told_product
from model.errors import WrongAddress

JELLYFIN_10_10 = Dialect(Product.JELLYFIN, "10.10.7")
JELLYFIN_12 = Dialect(Product.JELLYFIN, "12.1.0")
EMBY = Dialect(Product.EMBY, "4.9.1.90")


@pytest.mark.parametrize(
    ("document", "product"),
    [
        ({"productname": "Jellyfin Server", "version": "12.1.0", "id": "a"}, Product.JELLYFIN),
        ({"version": "4.9.1.90", "id": "a"}, Product.EMBY),
    ],
)
def test_only_jellyfin_names_its_product(document, product):
    assert told_product(document) is product


@pytest.mark.parametrize("document", [{}, {"version": "1"}, {"id": "a", "version": 7}])
def test_what_has_neither_id_nor_version_is_neither(document):
    with pytest.raises(WrongAddress):
        told_product(document)


@pytest.mark.parametrize("version", ["10.10.0", "10.11.11", "12.0.0", "12.9.1-rc1"])
def test_known_versions_of_jellyfin(version):
    Dialect(Product.JELLYFIN, version).check_version()


@pytest.mark.parametrize(
    ("product", "version"),
    [
        (Product.JELLYFIN, "10.9.11"),
        (Product.JELLYFIN, "11.0"),
        (Product.EMBY, "4.7.5.0"),
        (Product.EMBY, ""),
        (Product.EMBY, "12.1"),
    ],
)
def test_others_are_not_known(product, version):
    with pytest.raises(WrongAddress):
        Dialect(product, version).check_version()


def test_dates_and_pictures_have_no_lock_anywhere():
    assert JELLYFIN_12.lock_word(Property.DATE) is EMBY.lock_word(Property.DATE) is None
    assert JELLYFIN_12.locks_of((Property.NAME, Property.PEOPLE, Property.TAGLINE)) == {"Name", "Cast"}
    assert EMBY.locks_of((Property.NAME, Property.PEOPLE, Property.TAGLINE)) == {"Name", "Cast", "Tagline"}


def test_the_filter_for_changes_is_the_one_that_works():
    assert JELLYFIN_10_10.changed_since == "MinDateLastSavedForUser"
    assert JELLYFIN_12.changed_since == EMBY.changed_since == "MinDateLastSaved"


def test_names_are_written_as_they_will_be_kept():
    given = ["One ", "one", " ", "A|B", "Zwei"]
    assert JELLYFIN_12.stored_names(given) == ("One", "A/B", "Zwei")
    assert EMBY.stored_names(given) == ("One", "A|B", "Zwei")
    assert JELLYFIN_12.stored_names(JELLYFIN_12.stored_names(given)) == JELLYFIN_12.stored_names(given)


def test_people_are_asked_for_only_if_wanted():
    assert "People" in JELLYFIN_12.detail_fields(people=True).split(",")
    assert "People" not in EMBY.detail_fields(people=False).split(",")
