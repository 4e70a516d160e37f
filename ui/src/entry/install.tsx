/** Where we show up in Stash: a route, an icon, a tab on every scene, a summary beside our settings. */
import React from "react";
import { Nav, Tab } from "react-bootstrap";
import { PLUGIN_ID, ROUTE, type Props, type UsableApi } from "../stash/plugin_api";
import { entryTexts } from "../texts";
import { Boundary, appendChild, replaceElement } from "./guard";
import { LazyPage, LazySceneTab } from "./lazy";
import { NavIcon } from "./nav_icon";
import { SettingsSummary } from "./settings_summary";

const TAB = "stash2plex-panel";

export function install(api: UsableApi): void {
  const steps = [
    () => api.register.route(ROUTE, LazyPage),
    () => appendChild(api, "MainNavBar.UtilityItems", navIcon),
    () => appendChild(api, "ScenePage.Tabs", sceneTab),
    () => appendChild(api, "ScenePage.TabContent", scenePane),
    () => replaceElement(api, "PluginSettings", settingsSummary),
  ];
  for (const step of steps) {
    try {
      step();
    } catch {
      // A piece that this Stash refuses is missed; the others are there.
    }
  }
}

function navIcon() {
  return (
    <Boundary key="stash2plex">
      <NavIcon />
    </Boundary>
  );
}

function sceneTab() {
  return (
    <Nav.Item key={TAB}>
      <Nav.Link eventKey={TAB}>{entryTexts.name}</Nav.Link>
    </Nav.Item>
  );
}

function scenePane(props: Props) {
  const scene = props.scene as { id?: unknown } | undefined;
  const id = typeof scene?.id === "string" ? scene.id : null;
  return (
    <Tab.Pane key={TAB} eventKey={TAB} mountOnEnter unmountOnExit>
      <Boundary fallback={<p>{entryTexts.broken}</p>}>
        <LazySceneTab sceneId={id} />
      </Boundary>
    </Tab.Pane>
  );
}

function settingsSummary(props: Props, original: React.ReactNode) {
  return props.pluginID === PLUGIN_ID ? <SettingsSummary>{original}</SettingsSummary> : null;
}
