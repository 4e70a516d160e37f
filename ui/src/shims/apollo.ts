/** The Apollo that Stash brought. */
import type * as ApolloModule from "@apollo/client";
import { stashApi } from "../stash/plugin_api";

const found = (stashApi()?.libraries?.Apollo ?? {}) as typeof ApolloModule;

export const { gql } = found;
