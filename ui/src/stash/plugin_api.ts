/** The part of Stash's plugin API that we use, in our own words; every piece of it may be missing. */
import type { ComponentType, ReactNode } from "react";

export const PLUGIN_ID = "Stash2Plex";
export const ROUTE = "/plugins/stash2plex";

export type Props = Record<string, unknown> & { children?: ReactNode };
export type Patch = (...args: unknown[]) => unknown;

export interface MutateOptions {
  mutation: unknown;
  variables?: Record<string, unknown>;
  fetchPolicy: "no-cache";
  context?: { fetchOptions: { signal?: AbortSignal } };
}

export interface QueryOptions {
  query: unknown;
  variables?: Record<string, unknown>;
  fetchPolicy: "no-cache";
}

export interface StashClient {
  cache: unknown;
  mutate(options: MutateOptions): Promise<{ data?: unknown }>;
  query(options: QueryOptions): Promise<{ data?: unknown }>;
}

export interface StashApi {
  React?: unknown;
  GQL?: Record<string, unknown>;
  libraries?: {
    Apollo?: unknown;
    Bootstrap?: unknown;
    FontAwesomeBrands?: unknown;
    FontAwesomeSolid?: Record<string, unknown>;
    ReactSelect?: unknown;
    ReactRouterDOM?: unknown;
  };
  components?: { Icon?: ComponentType<{ icon: unknown; className?: string }> };
  register?: { route?: (path: string, component: ComponentType) => void };
  patch?: {
    before?: (name: string, patch: Patch) => void;
    instead?: (name: string, patch: Patch) => void;
  };
  utils?: {
    StashService?: {
      getClient?: () => StashClient;
      evictQueries?: (cache: unknown, queries: unknown[]) => void;
    };
  };
}

/** An API in which everything is there that we cannot do without. */
export interface UsableApi extends StashApi {
  register: { route: (path: string, component: ComponentType) => void };
  patch: { before: (name: string, patch: Patch) => void; instead: (name: string, patch: Patch) => void };
}

declare global {
  interface Window {
    PluginApi?: StashApi;
  }
}

export function stashApi(): StashApi | undefined {
  return window.PluginApi;
}

/** The API, or null where Stash is older than v0.28 or a piece is missing: then the script does nothing. */
export function findApi(): UsableApi | null {
  const api = stashApi();
  const libraries = api?.libraries;
  const bootstrap = libraries?.Bootstrap as { Tab?: unknown; Nav?: unknown } | undefined;
  const isWhole =
    api?.React &&
    api.register?.route &&
    api.patch?.before &&
    api.patch.instead &&
    api.components &&
    api.utils?.StashService?.getClient &&
    libraries?.Apollo &&
    libraries.ReactRouterDOM &&
    // These came with v0.28, as did the tabs of a scene's page, of which nothing else can be seen here. A later Stash may drop one.
    (libraries.ReactSelect ?? libraries.FontAwesomeBrands) &&
    bootstrap?.Tab &&
    bootstrap.Nav;
  return isWhole ? (api as UsableApi) : null;
}
