/** An icon of Stash's by its name; where that version of Font Awesome has no such name, nothing. */
import React from "react";
import { stashApi } from "../stash/plugin_api";

export function hasIcon(name: string): boolean {
  const api = stashApi();
  return Boolean(api?.libraries?.FontAwesomeSolid?.[name] && api.components?.Icon);
}

export function Icon({ name, className }: { name: string; className?: string }) {
  const StashIcon = stashApi()?.components?.Icon;
  return StashIcon && hasIcon(name) ? (
    <span aria-hidden="true" className="s2p-icon">
      <StashIcon icon={stashApi()?.libraries?.FontAwesomeSolid?.[name]} className={className} />
    </span>
  ) : null;
}
