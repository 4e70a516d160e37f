/**
 * Tokens and keys go to Stash by its own mutation, never through an operation: Stash logs those arguments. Its mutation replaces all
 * settings of a plugin at once, so what is there is read afresh and merged.
 */
import { gql } from "@apollo/client";
import { PLUGIN_ID, stashApi } from "../stash/plugin_api";
import { readError } from "./ask_error";
import { Lane } from "./lane";
import { stashClient } from "./operations";

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

export function saveSecrets(secrets: Record<string, string>): Promise<void> {
  return writer.run(async () => {
    try {
      const client = stashClient();
      const { data } = await client.query({ query: READ, variables: { ids: [PLUGIN_ID] }, fetchPolicy: "no-cache" });
      const all = (data as { configuration: { plugins: Record<string, Record<string, unknown>> } }).configuration.plugins;
      const input = { ...all[PLUGIN_ID], ...secrets };
      await client.mutate({ mutation: WRITE, variables: { id: PLUGIN_ID, input }, fetchPolicy: "no-cache" });
    } catch (error) {
      throw readError(error);
    }
    forgetCachedSettings();
  });
}

/** Makes Stash's own pages read the settings again. */
export function forgetCachedSettings(): void {
  const api = stashApi();
  const document = api?.GQL?.ConfigurationDocument;
  if (document) api.utils?.StashService?.evictQueries?.(stashClient().cache, [document]);
}
