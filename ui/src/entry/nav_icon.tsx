/** One icon in Stash's bar; a badge only when a person is needed, from what our page learned last. */
import React, { useEffect, useState } from "react";
import { Nav } from "react-bootstrap";
import { Link } from "react-router-dom";
import { onLearned, recall } from "../stash/memory";
import { ROUTE } from "../stash/plugin_api";
import { entryTexts } from "../texts";

export function useLearned() {
  const [learned, setLearned] = useState(recall);
  useEffect(() => onLearned(() => setLearned(recall())), []);
  return learned;
}

/**
 * Stash shows its utilities in the bar, and on a phone only in the menu that unfolds: a link of Bootstrap's with a key folds it again when
 * it is tapped. There the icon has its name beside it.
 */
export function NavIcon() {
  const needs = useLearned()?.needs ?? 0;
  const label = needs > 0 ? entryTexts.needsYou(needs) : entryTexts.name;
  return (
    <Nav.Link as={Link} to={ROUTE} eventKey={ROUTE} className="nav-utility stash2plex s2p-nav minimal" title={label} aria-label={label}>
      <span className="s2p-nav-face">
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
          <path fill="currentColor" d="M4 3h9l-3 3H6v8l-3 3V4a1 1 0 0 1 1-1zm16 18h-9l3-3h4v-8l3-3v13a1 1 0 0 1-1 1zM8.5 8l7 4-7 4z" />
        </svg>
        {needs > 0 && <span className="s2p-dot" aria-hidden="true">{needs > 99 ? "99+" : needs}</span>}
        <span className="s2p-nav-name" aria-hidden="true">
          {entryTexts.name}
        </span>
      </span>
    </Nav.Link>
  );
}
