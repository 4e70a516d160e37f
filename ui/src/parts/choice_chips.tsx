/** A few choices of which one holds, as buttons that fit a thumb. */
import React from "react";

interface Props<T extends string> {
  label: string;
  choices: readonly { value: T; text: string; count?: number }[];
  chosen: T;
  onChoose: (value: T) => void;
}

export function ChoiceChips<T extends string>({ label, choices, chosen, onChoose }: Props<T>) {
  return (
    <div className="s2p-chips" role="group" aria-label={label}>
      {choices.map(({ value, text, count }) => (
        <button
          key={value}
          type="button"
          className={`btn ${value === chosen ? "btn-primary" : "btn-secondary"}`}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
          {count !== undefined && <span className="s2p-count">{count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}
