/** How the plugin is asked: operations answer at once, tasks go through Stash's job queue and leave their result behind. */
import { gql } from "@apollo/client";
import { PLUGIN_ID, stashApi, type StashClient } from "../stash/plugin_api";
import { AskError, isAbort, readError } from "./ask_error";
import { Lane } from "./lane";
import { noticeVersion } from "./updates";

const API = 2;

/** Heavy ones ask Stash or a server and may take long; the others read small files. */
const HEAVY = new Set([
  "explain", "preview_scene", "map_scene", "test_connection", "libraries", "path_map", "undo", "save_settings", "scan_scene",
  "intake", "intake_retry", "intake_set_code", "intake_undo",
]);

// Stash's own mutateRunPluginTask sends `args`, which its document does not declare: arguments would be lost.
const OPERATION = gql`
  mutation Stash2PlexOperation($id: ID!, $args: Map) {
    runPluginOperation(plugin_id: $id, args: $args)
  }
`;
const TASK = gql`
  mutation Stash2PlexTask($id: ID!, $description: String, $args: Map) {
    runPluginTask(plugin_id: $id, description: $description, args_map: $args)
  }
`;

const light = new Lane();
const heavy = new Lane();

export type Arguments = Record<string, unknown>;

export function stashClient(): StashClient {
  const client = stashApi()?.utils?.StashService?.getClient?.();
  if (!client) throw new AskError("outdated");
  return client;
}

/** One answer of one operation; rejects with an AskError, or with an AbortError when the signal came first. */
export async function ask<T>(mode: string, args: Arguments = {}, signal?: AbortSignal): Promise<T> {
  const lane = HEAVY.has(mode) ? heavy : light;
  const answer = await lane.run(() => send(OPERATION, { mode, ...given(args) }, signal), signal);
  const body = (answer as { runPluginOperation?: { api?: unknown; version?: unknown } | null } | undefined)?.runPluginOperation;
  noticeVersion(body?.version);
  if (body?.api !== API) throw new AskError("outdated");
  return body as T;
}

/** Queues a task in Stash; `description` is what Stash's task list shows. */
export async function startTask(mode: string, description: string, args: Arguments = {}): Promise<void> {
  await light.run(() => send(TASK, { mode, ...given(args) }, undefined, description));
}

async function send(mutation: unknown, args: Arguments, signal?: AbortSignal, description?: string): Promise<unknown> {
  try {
    const { data } = await stashClient().mutate({
      mutation,
      variables: { id: PLUGIN_ID, args, ...(description ? { description } : {}) },
      fetchPolicy: "no-cache",
      context: { fetchOptions: { signal } },
    });
    return data;
  } catch (error) {
    throw isAbort(error) ? error : readError(error);
  }
}

function given(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}
