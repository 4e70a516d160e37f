/** Says that the plugin is newer than this tab, before something looks broken. */
import React, { useEffect, useState } from "react";
import { latestVersion, onVersion } from "../api/updates";
import { commonTexts, pageTexts } from "../texts";
import { Note } from "./note";
import { Press } from "./press";

export function UpdatedNote({ entryVersion }: { entryVersion: string }) {
  const [version, setVersion] = useState(latestVersion);
  useEffect(() => onVersion(() => setVersion(latestVersion())), []);
  if (version === null || version === entryVersion) return null;
  return (
    <Note
      tone="careful"
      role="alert"
      actions={
        <Press kind="primary" onPress={() => window.location.reload()}>
          {commonTexts.reload}
        </Press>
      }
    >
      {pageTexts.updated}
    </Note>
  );
}
