/**
 * Where Stash shows our settings: what we know, and the way to our page. Stash's own fields are behind a fold: that page writes back
 * a copy it made when it was opened, and knows neither defaults nor what is allowed.
 */
import React, { useState, type ReactNode } from "react";
import { Link } from "react-router-dom";
import { ROUTE } from "../stash/plugin_api";
import { entryTexts } from "../texts";
import { useLearned } from "./nav_icon";

export function SettingsSummary({ children }: { children?: ReactNode }) {
  const learned = useLearned();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="stash2plex s2p-summary">
      <p>{learned ? learned.sentence : entryTexts.notOpenedYet}</p>
      <Link className="btn btn-primary" to={`${ROUTE}/settings`}>
        {entryTexts.openSettings}
      </Link>{" "}
      <button type="button" className="btn btn-secondary" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? entryTexts.hideRaw : entryTexts.showRaw}
      </button>
      {isOpen && children}
    </div>
  );
}
