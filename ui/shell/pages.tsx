/** Stash's own pages, as far as plugins reach into them: scenes, a scene with tabs, the settings of plugins. */
import { useMutation, useQuery } from "@apollo/client";
import React, { useContext, useEffect, useState, type ReactNode } from "react";
import { Button, Form, Nav, Tab } from "react-bootstrap";
import { Link, useParams } from "react-router-dom";
import { getClient } from "./client";
import { patchable } from "./patch";
import { ConfigurationDocument, ConfigurePluginDocument, FindSceneDocument, FindScenesDocument, SceneUpdateDocument } from "./queries";
import { SettingsContext, type PluginSettings as AllSettings } from "./settings_context";

interface Scene {
  id: string;
  title: string;
  details: string | null;
}

interface ListedScenes {
  findScenes: { count: number; scenes: Scene[] };
}

export function ScenesPage() {
  const { data } = useQuery<ListedScenes>(FindScenesDocument);
  return (
    <>
      <h1>Scenes</h1>
      <ul>
        {data?.findScenes.scenes.map((scene) => (
          <li key={scene.id}>
            <Link to={`/scenes/${scene.id}`}>{scene.title || `scene ${scene.id}`}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}

interface SceneProps {
  scene: Scene;
  children?: ReactNode;
}

const SceneTabs = patchable<SceneProps>("ScenePage.Tabs", ({ children }) => <Nav variant="tabs">{children}</Nav>);
const SceneTabContent = patchable<SceneProps>("ScenePage.TabContent", ({ children }) => <Tab.Content>{children}</Tab.Content>);

export const ScenePage = patchable("ScenePage", () => {
  const { id } = useParams<{ id: string }>();
  const { data } = useQuery<{ findScene: Scene | null }>(FindSceneDocument, { variables: { id } });
  const scene = data?.findScene;
  if (!scene) return <p>Loading...</p>;
  return (
    <div id="scene-page">
      <h1>{scene.title}</h1>
      <Tab.Container defaultActiveKey="scene-details-panel">
        <SceneTabs scene={scene}>
          <Nav.Item>
            <Nav.Link eventKey="scene-details-panel">Details</Nav.Link>
          </Nav.Item>
          <Nav.Item>
            <Nav.Link eventKey="scene-edit-panel">Edit</Nav.Link>
          </Nav.Item>
        </SceneTabs>
        <SceneTabContent scene={scene}>
          <Tab.Pane eventKey="scene-details-panel">
            <p>{scene.details}</p>
          </Tab.Pane>
          <Tab.Pane eventKey="scene-edit-panel" mountOnEnter>
            <SceneEdit scene={scene} />
          </Tab.Pane>
        </SceneTabContent>
      </Tab.Container>
    </div>
  );
});

function SceneEdit({ scene }: { scene: Scene }) {
  const [title, setTitle] = useState(scene.title);
  const [save] = useMutation(SceneUpdateDocument);
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        void save({ variables: { id: scene.id, title } });
      }}
    >
      <Form.Label htmlFor="scene-title">Title</Form.Label>
      <Form.Control id="scene-title" className="text-input" value={title} onChange={(event) => setTitle(event.target.value)} />
      <Button type="submit">Save</Button>
    </Form>
  );
}

interface PluginSettingsProps {
  pluginID: string;
  settings: string[];
}

/** Shows what is set as plain texts, as Stash does. */
const PluginSettings = patchable<PluginSettingsProps>("PluginSettings", ({ pluginID }) => {
  const context = useContext(SettingsContext);
  const values = context?.plugins[pluginID] ?? {};
  return (
    <div className="setting-section">
      {Object.entries(values).map(([key, value]) => (
        <label key={key} className="d-block">
          {key}
          <input
            className="text-input form-control"
            defaultValue={String(value)}
            onBlur={(event) => context?.savePluginSettings(pluginID, { ...values, [key]: event.target.value })}
          />
        </label>
      ))}
    </div>
  );
});

/** Copies what the cache has, once; what another page wrote since is known only if the cache was told. */
export function SettingsPage({ plugins }: { plugins: string[] }) {
  const [copies, setCopies] = useState<AllSettings | null>(null);
  const { data } = useQuery<{ configuration: { plugins: AllSettings } }>(ConfigurationDocument);
  useEffect(() => {
    if (data) setCopies((before) => before ?? data.configuration.plugins);
  }, [data]);
  if (!copies) return <p>Loading...</p>;
  const savePluginSettings = (id: string, values: Record<string, unknown>) => {
    const next = { ...copies, [id]: values };
    setCopies(next);
    for (const [one, input] of Object.entries(next)) {
      void getClient().mutate({ mutation: ConfigurePluginDocument, variables: { id: one, input } });
    }
  };
  return (
    <SettingsContext.Provider value={{ plugins: copies, savePluginSettings }}>
      <h1>Plugins</h1>
      {plugins.map((id) => (
        <section key={id} id={`plugin-${id}`}>
          <h2>{id}</h2>
          <PluginSettings pluginID={id} settings={[]} />
        </section>
      ))}
    </SettingsContext.Provider>
  );
}
