/** Pages of a list whose next page is named by the one before. */
import React, { useState } from "react";
import { commonTexts } from "../texts";
import { Press } from "./press";

export interface Pages {
  after: string | undefined;
  number: number;
  forward: (next: string) => void;
  back: () => void;
}

/** Starts again at the first page whenever `subject` changes. */
export function usePages(subject: string): Pages {
  const [state, setState] = useState<{ subject: string; trail: string[] }>({ subject, trail: [] });
  const trail = state.subject === subject ? state.trail : [];
  return {
    after: trail[trail.length - 1],
    number: trail.length + 1,
    forward: (next) => setState({ subject, trail: [...trail, next] }),
    back: () => setState({ subject, trail: trail.slice(0, -1) }),
  };
}

export function Pager({ pages, next }: { pages: Pages; next: string | null }) {
  if (pages.number === 1 && next === null) return null;
  return (
    <nav className="s2p-pager" aria-label={commonTexts.page(pages.number)}>
      <Press isDisabled={pages.number === 1} onPress={pages.back}>
        {commonTexts.previousPage}
      </Press>
      <span>{commonTexts.page(pages.number)}</span>
      <Press isDisabled={next === null} onPress={() => next !== null && pages.forward(next)}>
        {commonTexts.nextPage}
      </Press>
    </nav>
  );
}
