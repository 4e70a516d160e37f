/** An icon of Stash's by its name; where that version of Font Awesome has no such name, nothing. */
import React from "react";
import { stashApi } from "../stash/plugin_api";

export function Icon({ name, className }: { name: string; className?: string }) {
  const api = stashApi();
  const drawing = api?.libraries?.FontAwesomeSolid?.[name];
  const StashIcon = api?.components?.Icon;
  return drawing && StashIcon ? (
    <span aria-hidden="true" className="s2p-icon">
      <StashIcon icon={drawing} className={className} />
    </span>
  ) : null;
}
