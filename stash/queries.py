"""Every query and mutation that is ever sent to Stash; a test holds them to Stash's schema."""

from stash.scenes import SCENE_FIELDS, SWEEP_FIELDS

PLUGIN_STATE = """
query PluginState($ids: [ID!]) {
    configuration { general { apiKey } plugins(include: $ids) }
    plugins { id enabled }
    jobQueue { id status description }
}"""

CONFIGURE_PLUGIN = """
mutation ConfigurePlugin($id: ID!, $settings: Map!) { configurePlugin(plugin_id: $id, input: $settings) }"""

SCENE_PAGE = f"""
query ScenePage($filter: FindFilterType, $scenes: SceneFilterType) {{
    findScenes(filter: $filter, scene_filter: $scenes) {{ scenes {{ {SCENE_FIELDS} }} }}
}}"""

SWEEP_PAGE = f"""
query SweepPage($filter: FindFilterType, $scenes: SceneFilterType) {{
    findScenes(filter: $filter, scene_filter: $scenes) {{ scenes {{ {SWEEP_FIELDS} }} }}
    jobQueue {{ id status description }}
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

RUNNING_JOBS = "query RunningJobs { jobQueue { id status description } }"

OBJECT_EXISTS = {
    "performer": "query PerformerExists($id: ID!) { found: findPerformer(id: $id) { id } }",
    "studio": "query StudioExists($id: ID!) { found: findStudio(id: $id) { id } }",
    "tag": "query TagExists($id: ID!) { found: findTag(id: $id) { id } }",
    "group": "query GroupExists($id: ID!) { found: findGroup(id: $id) { id } }",
}


def scenes_by_ids(ids: list[int]) -> str:
    """Ask for each scene under a name of its own: findScenes(ids:) fails as a whole if one of them is gone."""
    wanted = " ".join(f"scene{one}: findScene(id: {one}) {{ ...Wanted }}" for one in ids)
    return f"query ScenesByIds {{ {wanted} }} fragment Wanted on Scene {{ {SCENE_FIELDS} }}"
