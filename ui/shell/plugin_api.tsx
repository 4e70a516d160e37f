/** `window.PluginApi` as far as plugins lean on it, written from what is known of Stash's; nothing of its code is here. */
import * as Apollo from "@apollo/client";
import * as FontAwesomeBrands from "@fortawesome/free-brands-svg-icons";
import * as FontAwesomeRegular from "@fortawesome/free-regular-svg-icons";
import * as FontAwesomeSolid from "@fortawesome/free-solid-svg-icons";
import { FontAwesomeIcon } from "@fortawesome/react-fontawesome";
import * as Mousetrap from "mousetrap";
import React, { useContext, useEffect, useState, type ComponentType } from "react";
import * as Bootstrap from "react-bootstrap";
import ReactDOM from "react-dom";
import * as Intl from "react-intl";
import * as ReactRouterDOM from "react-router-dom";
import ReactSelect from "react-select";
import { getClient } from "./client";
import { components, patch, patchable } from "./patch";
import { ConfigurationDocument } from "./queries";
import { SettingsContext } from "./settings_context";
import { ToastContext } from "./toast";

const LOAD_MILLISECONDS = 60;

components.Icon = ({ icon, className }: { icon: FontAwesomeSolid.IconDefinition; className?: string }) => (
  <FontAwesomeIcon icon={icon} className={`fa-icon ${className ?? ""}`} />
);
components.LoadingIndicator = () => <Bootstrap.Spinner animation="border" />;

interface PluginRoute {
  path: string;
  component: ComponentType;
}

const routes: PluginRoute[] = [];

/** All that match are shown together; a child of Stash's Switch without a path, so nothing behind it is ever reached. */
export const PluginRoutes = patchable("PluginRoutes", () => (
  <>
    {routes.map(({ path, component }) => (
      <ReactRouterDOM.Route key={path} path={path} component={component} />
    ))}
  </>
));

const loadableComponents = {
  Settings: () => later(() => (components.Setting = () => null)),
  Scenes: () => later(() => (components.SceneCard = () => null)),
};

function later(load: () => void): Promise<void> {
  return new Promise((resolve) => {
    window.setTimeout(() => {
      load();
      resolve();
    }, LOAD_MILLISECONDS);
  });
}

function useLoadComponents(wanted: (() => Promise<void>)[]): boolean {
  const [isLoading, setIsLoading] = useState(true);
  useEffect(() => {
    void Promise.all(wanted.map((load) => load())).then(() => setIsLoading(false));
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return isLoading;
}

export const events = new EventTarget();

function useSettings() {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error("useSettings must be used within a SettingsContext");
  return settings;
}

export const pluginApi = {
  React,
  ReactDOM,
  GQL: { ConfigurationDocument },
  libraries: {
    ReactRouterDOM, Bootstrap, Apollo, Intl, FontAwesomeRegular, FontAwesomeSolid, FontAwesomeBrands, ReactSelect, Mousetrap,
  },
  register: {
    route: (path: string, component: ComponentType) => void routes.push({ path, component }),
    component: (name: string, component: ComponentType) => {
      if (components[name]) throw new Error(`Component ${name} has already been registered`);
      components[name] = component;
    },
  },
  loadableComponents,
  components,
  utils: {
    StashService: {
      getClient,
      evictQueries: (cache: Apollo.ApolloCache<unknown>) => {
        cache.evict({ id: "ROOT_QUERY", fieldName: "configuration" });
        cache.gc();
      },
    },
    loadComponents: (wanted: (() => Promise<void>)[]) => Promise.all(wanted.map((load) => load())),
  },
  hooks: { useLoadComponents, useSettings, useToast: () => useContext(ToastContext) },
  patch,
  Event: events,
};
