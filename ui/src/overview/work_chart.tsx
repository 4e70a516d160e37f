/** What was written lately, as a small chart of bars with a sentence for those who do not see it. */
import React from "react";
import type { HistoryBucket } from "../api/answers";
import { overviewTexts } from "../texts";

const WIDTH = 240;
const HEIGHT = 44;
const SLOTS = 24;

export function WorkChart({ name, buckets }: { name: string; buckets: HistoryBucket[] }) {
  const highest = Math.max(1, ...buckets.map((one) => one.done + one.failed));
  const done = buckets.reduce((sum, one) => sum + one.done, 0);
  const failed = buckets.reduce((sum, one) => sum + one.failed, 0);
  if (done + failed === 0) return null;
  const shown = buckets.slice(-SLOTS);
  const slot = WIDTH / SLOTS;
  const height = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * HEIGHT));
  return (
    <figure className="s2p-work">
      <svg
        className="s2p-chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={overviewTexts.chartLabel(name, done, failed)}
      >
        {shown.map((one, index) => {
          const x = (SLOTS - shown.length + index) * slot + 1;
          const good = height(one.done);
          const bad = height(one.failed);
          return (
            <g key={one.at}>
              <title>{overviewTexts.chartLabel(name, one.done, one.failed)}</title>
              <rect className="s2p-bar-done" x={x} width={slot - 2} y={HEIGHT - good} height={good} rx="1" />
              <rect className="s2p-bar-failed" x={x} width={slot - 2} y={HEIGHT - good - bad} height={bad} rx="1" />
            </g>
          );
        })}
      </svg>
      <figcaption className="s2p-about text-muted">{overviewTexts.chart(done, failed)}</figcaption>
    </figure>
  );
}
