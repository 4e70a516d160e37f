"""Who is there, who may write, which libraries there are: the same on every server."""

import pytest

from model.errors import AccessDenied, TargetUnreachable, WrongServer
from tests.contracts.ports import as_targets


def test_the_server_says_who_it_is(rig):
    found = rig.target.identify()
    assert found == rig.target.server()
    assert found.server_id
    rig.target.probe()


def test_the_target_has_a_name_before_anybody_is_asked(rig):
    assert rig.target.name == rig.target.capabilities.name
    assert rig.sim.count() == 0


def test_another_server_at_the_address_is_not_taken_for_ours(rig):
    known = rig.target.identify().server_id
    rig.sim.become_another_server()
    with pytest.raises(WrongServer):
        rig.another(expected_server=known).identify()
    with pytest.raises(WrongServer):
        rig.target.identify()


def test_a_wrong_key_is_told(rig):
    with pytest.raises(AccessDenied):
        rig.another(key="0" * 32).identify()


def test_nobody_there_is_an_outage(rig):
    rig.sim.stop()
    with pytest.raises(TargetUnreachable):
        rig.another().probe()


def test_who_may_edit_may_edit(rig):
    assert rig.target.may_edit()


def test_a_user_without_rights_may_not(start, flavour):
    rig = start(flavour, held=False)
    assert not rig.another(key="sim-viewer-token").may_edit()


def test_libraries_know_whether_they_hold_videos(rig):
    libraries = {one.title: one for one in rig.target.libraries()}
    assert libraries["Scenes"].holds_videos
    assert libraries["Movies"].holds_videos
    assert not libraries["Music"].holds_videos
    assert "/data/scenes" in libraries["Scenes"].locations


def test_both_adapters_are_targets(start):
    plex, other = start("plex"), start("emby-4.9")
    assert as_targets(plex.target, other.target) == [plex.target, other.target]
