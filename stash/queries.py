"""Every query and mutation that is sent to Stash, but for those in `hub`; tests hold all to Stash's schema."""

from collections.abc import Iterable

from stash.scenes import SCENE_FIELDS, SHOWN_FIELDS, SWEEP_FIELDS

NEWEST = 50
"""So many scenes and performers, those that were changed last, are told with every snapshot."""

_JOB = "id status description addTime"
_PLUGIN_STATE = f"""
    configuration {{ general {{ apiKey configFilePath }} plugins(include: $ids) }}
    plugins {{ id enabled }}
    jobQueue {{ {_JOB} }}"""
_NEWEST = f'filter: {{ sort: "updated_at", direction: DESC, per_page: {NEWEST} }}'

PLUGIN_STATE = f"query PluginState($ids: [ID!]) {{ {_PLUGIN_STATE} }}"

CONFIGURE_PLUGIN = """
mutation ConfigurePlugin($id: ID!, $settings: Map!) { configurePlugin(plugin_id: $id, input: $settings) }"""

SCENE_PAGE = f"""
query ScenePage($filter: FindFilterType, $scenes: SceneFilterType) {{
    findScenes(filter: $filter, scene_filter: $scenes) {{ scenes {{ {SCENE_FIELDS} }} }}
}}"""

SWEEP_PAGE = f"""
query SweepPage($filter: FindFilterType, $scenes: SceneFilterType) {{
    findScenes(filter: $filter, scene_filter: $scenes) {{ scenes {{ {SWEEP_FIELDS} }} }}
    jobQueue {{ {_JOB} }}
}}"""

SCENE_IDS_PAGE = """
query SceneIdsPage($filter: FindFilterType, $scenes: SceneFilterType) {
    findScenes(filter: $filter, scene_filter: $scenes) { scenes { id updated_at } }
}"""

SCENE_FILES_PAGE = """
query SceneFilesPage($filter: FindFilterType, $scenes: SceneFilterType) {
    findScenes(filter: $filter, scene_filter: $scenes) { scenes { id files { path size } } }
}"""

SCENE_COUNT = "query SceneCount { findScenes(filter: { per_page: 0 }) { count } }"

RUNNING_JOBS = f"query RunningJobs {{ jobQueue {{ {_JOB} }} }}"

OBJECT_EXISTS = {
    "performer": "query PerformerExists($id: ID!) { found: findPerformer(id: $id) { id } }",
    "studio": "query StudioExists($id: ID!) { found: findStudio(id: $id) { id } }",
    "tag": "query TagExists($id: ID!) { found: findTag(id: $id) { id } }",
    "group": "query GroupExists($id: ID!) { found: findGroup(id: $id) { id } }",
}

MOVE_FILES = """
mutation MoveFiles($input: MoveFilesInput!) { moveFiles(input: $input) }"""


def scenes_of_file(codes: int) -> str:
    """Ask for the scenes of a path, of a hash, and of so many codes, each under a name of its own."""
    variables = ", ".join(["$path: String!", "$hash: String!", *(f"$code{one}: String!" for one in range(codes))])
    criteria = {"path": "path", "hash": "oshash", **{f"code{one}": "code" for one in range(codes)}}
    wanted = " ".join(
        f"{name}: findScenes(filter: {{ per_page: 20 }}, scene_filter: {{ {criterion}:"
        f" {{ value: ${name}, modifier: EQUALS }} }}) {{ scenes {{ ...Wanted }} }}"
        for name, criterion in criteria.items()
    )
    return f"""query ScenesOfFile({variables}) {{ {wanted} }}
    fragment Wanted on Scene {{ {SHOWN_FIELDS} updated_at
        files {{ id path size duration fingerprints {{ type value }} }} }}"""


def scenes_with_files(paths: int) -> str:
    """Ask for the scenes of so many paths, each under a name of its own."""
    variables = ", ".join(f"$path{one}: String!" for one in range(paths))
    wanted = " ".join(
        f"path{one}: findScenes(filter: {{ per_page: 20 }}, scene_filter: {{ path:"
        f" {{ value: $path{one}, modifier: EQUALS }} }}) {{ scenes {{ ...Wanted }} }}"
        for one in range(paths)
    )
    return f"query ScenesWithFiles({variables}) {{ {wanted} }} fragment Wanted on Scene {{ {SCENE_FIELDS} }}"


def scenes_by_ids(ids: list[int]) -> str:
    """Ask for each scene under a name of its own: findScenes(ids:) fails as a whole if one of them is gone."""
    wanted = " ".join(f"scene{one}: findScene(id: {one}) {{ ...Wanted }}" for one in ids)
    return f"query ScenesByIds {{ {wanted} }} fragment Wanted on Scene {{ {SCENE_FIELDS} }}"


def snapshot(job_ids: Iterable[int]) -> str:
    """Ask in one request for all that a watch wants to know; for each job under a name of its own."""
    return f"""query Snapshot($ids: [ID!]) {{ {_PLUGIN_STATE} {_find_jobs(job_ids)}
    findScenes({_NEWEST}) {{ count scenes {{ id updated_at }} }}
    findPerformers({_NEWEST}) {{ count performers {{ id updated_at }} }} }}"""


def known_jobs(ids: Iterable[int]) -> str:
    return f"query KnownJobs {{ {_find_jobs(ids)} }}"


def _find_jobs(ids: Iterable[int]) -> str:
    return " ".join(f"job{one}: findJob(input: {{ id: {one} }}) {{ {_JOB} }}" for one in ids)
