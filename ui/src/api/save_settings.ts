/**
 * Saves settings. Tokens and keys go to Stash by its own mutation, never through an operation: Stash logs those arguments. That mutation
 * replaces all settings of a plugin at once, so what is there is read afresh and merged.
 */
import { gql } from "@apollo/client";
import { PLUGIN_ID, stashApi } from "../stash/plugin_api";
import { settingsTexts } from "../texts";
import type { SettingRow, SettingsSaved } from "./answers";
import { readError } from "./ask_error";
import { Lane } from "./lane";
import { ask, stashClient } from "./operations";

const READ = gql`
  query Stash2PlexSettings($ids: [ID!]) {
    configuration {
      plugins(include: $ids)
    }
  }
`;
const WRITE = gql`
  mutation Stash2PlexSecrets($id: ID!, $input: Map!) {
    configurePlugin(plugin_id: $id, input: $input)
  }
`;

const writer = new Lane();

export type Values = Record<string, SettingRow["value"]>;

/**
 * Secrets first and by Stash's own way; the rest is checked and written by the plugin. Whatever came of it, Stash's own pages then read
 * the settings afresh: its settings page writes back what it has of every plugin.
 */
export function saveSettings(values: Values, secrets: Record<string, string> = {}): Promise<SettingsSaved> {
  return writer.run(async () => {
    try {
      if (Object.keys(secrets).length > 0) await writeSecrets(secrets);
      if (Object.keys(values).length === 0) return { ok: true, problems: [], saved: [], sentence: settingsTexts.saved };
      return await ask<SettingsSaved>("save_settings", { values });
    } finally {
      forgetCachedSettings();
    }
  });
}

async function writeSecrets(secrets: Record<string, string>): Promise<void> {
  try {
    const client = stashClient();
    const { data } = await client.query({ query: READ, variables: { ids: [PLUGIN_ID] }, fetchPolicy: "no-cache" });
    const all = (data as { configuration: { plugins: Record<string, Record<string, unknown>> } }).configuration.plugins;
    const input = { ...all[PLUGIN_ID], ...secrets };
    await client.mutate({ mutation: WRITE, variables: { id: PLUGIN_ID, input }, fetchPolicy: "no-cache" });
  } catch (error) {
    throw readError(error);
  }
}

function forgetCachedSettings(): void {
  const api = stashApi();
  const document = api?.GQL?.ConfigurationDocument;
  if (document) api.utils?.StashService?.evictQueries?.(stashClient().cache, [document]);
}
