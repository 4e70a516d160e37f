/** The page: its parts, what is wrong with all of them, and the part that is open. */
import React, { useEffect, useRef } from "react";
import { NavLink, Redirect, Route, Switch, useLocation, useRouteMatch } from "react-router-dom";
import { useStatus } from "../api/hooks";
import { refreshAll } from "../api/refresh";
import type { Snapshot } from "../api/status_store";
import { History } from "../history/history";
import { IntakePart } from "../intake/intake";
import { Overview } from "../overview/overview";
import { Note } from "../parts/note";
import { PartBoundary } from "../parts/part_boundary";
import { Press } from "../parts/press";
import { Loading, ProblemNote, SaidAbove } from "../parts/states";
import { urgent } from "../parts/target_names";
import { UpdatedNote } from "../parts/updated_note";
import { Preview } from "../preview/preview";
import { Problems } from "../problems/problems";
import { SettingsPart } from "../settings/settings_part";
import { SetUp, UNASKED } from "../setup/set_up";
import { ROUTE } from "../stash/plugin_api";
import { commonTexts, entryTexts, pageTexts } from "../texts";

type Part = keyof typeof pageTexts.parts;

export function Page({ entryVersion }: { entryVersion: string }) {
  const snapshot = useStatus();
  const part = useRouteMatch<{ part?: string }>(`${ROUTE}/:part?`)?.params.part ?? "overview";
  useTitle(part);
  return (
    <div className="stash2plex s2p-page">
      <header className="s2p-head">
        <h1>{entryTexts.name}</h1>
        <Press icon="faRotate" label={commonTexts.refresh} onPress={refreshAll} />
      </header>
      <Parts snapshot={snapshot} />
      <UpdatedNote entryVersion={entryVersion} />
      {snapshot.problem && <ProblemNote problem={snapshot.problem} again={refreshAll} />}
      <SaidAbove.Provider value={snapshot.problem?.kind ?? null}>
        <PartBoundary key={part}>
          <Switch>
            <Route path={`${ROUTE}/problems`}>
              <Problems status={snapshot.status} />
            </Route>
            <Route path={`${ROUTE}/preview`}>
              <Preview status={snapshot.status} />
            </Route>
            <Route path={`${ROUTE}/history`}>
              <History status={snapshot.status} />
            </Route>
            <Route path={`${ROUTE}/settings`}>
              <SettingsPart />
            </Route>
            <Route path={`${ROUTE}/intake`}>
              <IntakePart />
            </Route>
            <Route path={`${ROUTE}/setup`}>
              <SetUp status={snapshot.status} />
            </Route>
            <Route path={ROUTE} exact>
              <Front snapshot={snapshot} />
            </Route>
            <Route>
              <Note>{pageTexts.unknownPart}</Note>
            </Route>
          </Switch>
        </PartBoundary>
      </SaidAbove.Provider>
    </div>
  );
}

/** The overview, or the set-up where nothing is set up yet. */
function Front({ snapshot }: { snapshot: Snapshot }) {
  if (!snapshot.status) return snapshot.problem ? null : <Loading />;
  return snapshot.status.is_set_up ? <Overview status={snapshot.status} /> : <Redirect to={{ pathname: `${ROUTE}/setup`, state: UNASKED }} />;
}

function Parts({ snapshot }: { snapshot: Snapshot }) {
  const { status } = snapshot;
  const needs = status && urgent(status).filter((need) => need.view === "problems").reduce((sum, need) => sum + need.count, 0);
  const parts: Part[] = ["problems", "preview", "history", "settings"];
  if (status?.intake_is_on) parts.push("intake");
  if (status && !status.is_set_up) parts.push("setup");
  const bar = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    // On a phone the tabs do not all fit: the open one is brought into sight.
    bar.current?.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname, parts.length]);
  return (
    <nav className="s2p-parts" aria-label={pageTexts.navLabel} ref={bar}>
      <ul className="nav nav-tabs">
        <PartLink to={ROUTE} isExact name={pageTexts.parts.overview} />
        {parts.map((part) => (
          <PartLink key={part} to={`${ROUTE}/${part}`} name={pageTexts.parts[part]} count={part === "problems" ? (needs ?? 0) : 0} />
        ))}
      </ul>
    </nav>
  );
}

function PartLink({ to, name, isExact, count }: { to: string; name: string; isExact?: boolean; count?: number }) {
  return (
    <li className="nav-item">
      <NavLink className="nav-link" to={to} exact={isExact}>
        {name}
        {count ? <span className="s2p-count">{count.toLocaleString("en")}</span> : null}
      </NavLink>
    </li>
  );
}

/** Stash gives plugins no way to its own titles, so ours is put there and taken away again. */
function useTitle(part: string): void {
  const name = part in pageTexts.parts ? pageTexts.parts[part as Part] : pageTexts.parts.overview;
  useEffect(() => {
    const before = document.title;
    document.title = pageTexts.title(name);
    return () => {
      document.title = before;
    };
  }, [name]);
}
