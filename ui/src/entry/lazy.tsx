/** The page and the scene's tab, loaded when somebody opens them. */
import React, { useEffect, useState, type ComponentType } from "react";
import { useRouteMatch } from "react-router-dom";
import { VERSION, assetAddress } from "../stash/address";
import { entryTexts } from "../texts";
import { Boundary } from "./guard";

interface PageModule {
  Page: ComponentType<{ entryVersion: string }>;
  SceneTab: ComponentType<{ sceneId: string; entryVersion: string }>;
}

let loading: Promise<PageModule> | null = null;
let tries = 0;

function loadPage(): Promise<PageModule> {
  if (!loading) {
    // A browser remembers a module that failed, so each new try has an address of its own.
    const again = tries++ ? `&try=${tries}` : "";
    loading = import(assetAddress("page.js") + again) as Promise<PageModule>;
    loading.catch(() => (loading = null));
  }
  return loading;
}

interface Loaded {
  module: PageModule | null;
  hasFailed: boolean;
}

function usePage(): [Loaded, () => void] {
  const [loaded, setLoaded] = useState<Loaded>({ module: null, hasFailed: false });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isOpen = true;
    const set = (next: Loaded) => {
      if (isOpen) setLoaded(next);
    };
    loadPage().then(
      (module) => set({ module, hasFailed: false }),
      () => set({ module: null, hasFailed: true }),
    );
    return () => {
      isOpen = false;
    };
  }, [round]);
  return [loaded, () => setRound(round + 1)];
}

function NotLoaded({ hasFailed, again }: { hasFailed: boolean; again: () => void }) {
  if (!hasFailed) {
    return (
      <p className="stash2plex s2p-quiet" role="status">
        {entryTexts.loading}
      </p>
    );
  }
  return (
    <div className="stash2plex" role="alert">
      <p>{entryTexts.notLoaded}</p>
      <button type="button" className="btn btn-secondary" onClick={again}>
        {entryTexts.again}
      </button>{" "}
      <button type="button" className="btn btn-primary" onClick={() => window.location.reload()}>
        {entryTexts.reload}
      </button>
    </div>
  );
}

export function LazyPage() {
  const [{ module, hasFailed }, again] = usePage();
  if (!module) return <NotLoaded hasFailed={hasFailed} again={again} />;
  return (
    <Boundary fallback={<p className="stash2plex">{entryTexts.broken}</p>}>
      <module.Page entryVersion={VERSION} />
    </Boundary>
  );
}

/** Other plugins drop the scene from the props; the address has it, too. */
export function LazySceneTab({ sceneId }: { sceneId: string | null }) {
  const match = useRouteMatch<{ id?: string }>("/scenes/:id");
  const [{ module, hasFailed }, again] = usePage();
  const id = sceneId ?? match?.params.id;
  if (!module) return <NotLoaded hasFailed={hasFailed} again={again} />;
  return id ? <module.SceneTab key={id} sceneId={id} entryVersion={VERSION} /> : null;
}
