/** What a field has and what it would have; lists element by element. Signs and words, not colours alone. */
import React from "react";
import type { Change, Value } from "../api/answers";
import { commonTexts, fieldTexts } from "../texts";

export function fieldName(field: string): string {
  return fieldTexts[field] ?? field.replace(/_/g, " ");
}

export function Diff({ changes }: { changes: Change[] }) {
  return (
    <dl className="s2p-diff">
      {changes.map((change, index) => (
        <div key={`${change.field} ${index}`}>
          <dt>{fieldName(change.field)}</dt>
          <dd>
            <Values old={change.old} new={change.new} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What stays as it is on the server, although Stash has something else. */
export function Kept({ changes }: { changes: Change[] }) {
  return (
    <dl className="s2p-diff">
      {changes.map((change, index) => (
        <div key={`${change.field} ${index}`}>
          <dt>{fieldName(change.field)}</dt>
          <dd>
            {asList(change.old).join(", ") || commonTexts.nothing}
            <div className="text-muted">
              {commonTexts.stashHas(asList(change.stash ?? change.new).join(", ") || commonTexts.nothing)} {change.why}
            </div>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Values({ old, new: next }: { old: Value; new: Value }) {
  if (!Array.isArray(old) && !Array.isArray(next)) return <Scalars old={old} next={next} />;
  const before = asList(old);
  const after = asList(next);
  const added = after.filter((one) => !before.includes(one));
  const removed = before.filter((one) => !after.includes(one));
  return (
    <ul className="s2p-set">
      {added.map((one) => (
        <li key={`+${one}`}>
          <span aria-hidden="true">+ </span>
          <span className="sr-only">{commonTexts.added}: </span>
          <ins>{one}</ins>
        </li>
      ))}
      {removed.map((one) => (
        <li key={`-${one}`}>
          <span aria-hidden="true">− </span>
          <span className="sr-only">{commonTexts.removed}: </span>
          <del>{one}</del>
        </li>
      ))}
    </ul>
  );
}

function Scalars({ old, next }: { old: string; next: string }) {
  return (
    <span className="s2p-scalars">
      <span className="sr-only">{commonTexts.was}: </span>
      <del className={old ? undefined : "s2p-none"}>{old || commonTexts.nothing}</del>
      <span aria-hidden="true"> → </span>
      <span className="sr-only">{commonTexts.becomes}: </span>
      <ins className={next ? undefined : "s2p-none"}>{next || commonTexts.nothing}</ins>
    </span>
  );
}

function asList(value: Value): string[] {
  return Array.isArray(value) ? value : value ? [value] : [];
}
