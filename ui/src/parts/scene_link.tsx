/** A scene by its title, leading to its page in Stash. */
import React from "react";
import { Link } from "react-router-dom";
import { useSceneTitle } from "../api/titles";
import { commonTexts } from "../texts";

export function SceneLink({ id, title }: { id: number; title?: string | null }) {
  const name = useSceneTitle(id, title);
  return (
    <Link className="s2p-link" to={`/scenes/${id}`}>
      {name ?? commonTexts.scene(id)}
    </Link>
  );
}
