/** The servers we know, and what their settings are called. */
import type { Need, Status, Target } from "../api/answers";

export const TARGETS: readonly Target[] = ["plex", "emby", "jellyfin"];

export const TARGET_NAMES: Record<Target, string> = { plex: "Plex", emby: "Emby", jellyfin: "Jellyfin" };

export const ADDRESS_KEYS: Record<Target, string> = { plex: "plex_url", emby: "emby_url", jellyfin: "jellyfin_url" };

export const SECRET_KEYS: Record<Target, string> = { plex: "plex_token", emby: "emby_api_key", jellyfin: "jellyfin_api_key" };

/** What only a person can mend: a scene that is not found yet may be found tomorrow. */
export function urgent(status: Status): Need[] {
  return status.needs_you.filter((one) => one.kind !== "waiting");
}

/** The targets that are on, by the last status. */
export function targetsOn(status: Status | null): Target[] {
  return status?.targets.filter((one) => one.is_on).map((one) => one.target) ?? [];
}
