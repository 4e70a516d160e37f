/** A moment as people say it, with the exact one on hover. */
import React from "react";
import { commonTexts } from "../texts";

const STEPS: [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [90, 1, "second"],
  [5400, 60, "minute"],
  [129_600, 3600, "hour"],
  [Infinity, 86_400, "day"],
];

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function relative(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [limit, size, unit] of STEPS) {
    if (Math.abs(seconds) < limit) return format.format(Math.round(seconds / size), unit);
  }
  return iso;
}

export function Moment({ at }: { at: string | null }) {
  if (!at) return <>{commonTexts.never}</>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relative(at)}
    </time>
  );
}
