/** Which item a scene is: the candidates that were found, or one that a person searches for. */
import React, { useState } from "react";
import type { Explanation, FoundItems, Mapped, Target } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { Press } from "../parts/press";
import { Outcome, Shown } from "../parts/states";
import { chooseTexts } from "../texts";

const HITS = 20;

interface Props {
  sceneId: number;
  target: Target;
  changed: (sentence: string) => void;
}

export function ChooseItem({ sceneId, target, changed }: Props) {
  const act = useAct();
  const story = useAnswer("explain", (signal) => ask<Explanation>("explain", { scene_id: sceneId, target }, signal));
  const use = async (itemId: string) => {
    const said = await act.run(() => ask<Mapped>("map_scene", { scene_id: sceneId, item_id: itemId, target }));
    if (said !== null) changed(said);
  };
  return (
    <section className="s2p-choose" aria-label={chooseTexts.title}>
      <Outcome act={act} onlyBad />
      <Shown answer={story} loading={chooseTexts.asking}>
        {({ targets }) => {
          const candidates = targets.find((one) => one.target === target)?.match?.candidates ?? [];
          if (candidates.length === 0) return <p>{chooseTexts.none}</p>;
          return (
            <>
              <h3>{chooseTexts.found}</h3>
              <ul className="s2p-items">
                {candidates.map((one) => (
                  <ItemChoice
                    key={one.item_id}
                    title={one.title ?? one.item_id}
                    path={one.path ?? ""}
                    size={one.size}
                    about={one.is_taken ? `${chooseTexts.taken}: ${one.why}` : one.why}
                    isBusy={act.isBusy}
                    onUse={() => use(one.item_id)}
                  />
                ))}
              </ul>
            </>
          );
        }}
      </Shown>
      <Search target={target} isBusy={act.isBusy} onUse={use} />
    </section>
  );
}

function Search({ target, isBusy, onUse }: { target: Target; isBusy: boolean; onUse: (itemId: string) => void }) {
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState<string | null>(null);
  const hits = useAnswer(query, (signal) => ask<FoundItems>("search_items", { query, target, limit: HITS }, signal));
  return (
    <>
      <form
        className="s2p-search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typed.trim() || null);
        }}
      >
        <input
          type="search"
          className="form-control text-input"
          aria-label={chooseTexts.searchLabel}
          placeholder={chooseTexts.searchLabel}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="btn btn-secondary s2p-press">
          {chooseTexts.search}
        </button>
      </form>
      {query !== null && (
        <Shown answer={hits}>
          {({ items }) =>
            items.length === 0 ? (
              <p>{chooseTexts.noHits}</p>
            ) : (
              <ul className="s2p-items" aria-label={chooseTexts.hits}>
                {items.map((one) => (
                  <ItemChoice
                    key={one.item_id}
                    title={one.title}
                    path={one.path}
                    size={one.size}
                    about={one.library}
                    isBusy={isBusy}
                    onUse={() => onUse(one.item_id)}
                  />
                ))}
              </ul>
            )
          }
        </Shown>
      )}
    </>
  );
}

interface ItemProps {
  title: string;
  path: string;
  size: number | null;
  about: string;
  isBusy: boolean;
  onUse: () => void;
}

function ItemChoice({ title, path, size, about, isBusy, onUse }: ItemProps) {
  return (
    <li>
      <div className="s2p-item">
        <strong>{title}</strong>
        {path && <code className="s2p-path">{path}</code>}
        <span className="text-muted">
          {size !== null && `${megabytes(size)} · `}
          {about}
        </span>
      </div>
      <Press kind="primary" isBusy={isBusy} onPress={onUse} label={`${chooseTexts.use}: ${title}`}>
        {chooseTexts.use}
      </Press>
    </li>
  );
}

function megabytes(size: number): string {
  return `${(size / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
