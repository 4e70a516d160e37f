/** Addresses, all below `<base href>`: Stash may live behind a proxy's prefix. */
import { PLUGIN_ID } from "./plugin_api";

declare const __VERSION__: string;
export const VERSION = __VERSION__;

function baseAddress(): string {
  return document.querySelector("base")?.href ?? `${window.location.origin}/`;
}

/** A file of ui/dist; the version keeps a browser from showing an old one. */
export function assetAddress(name: string): string {
  return new URL(`plugin/${PLUGIN_ID}/assets/${name}?v=${encodeURIComponent(VERSION)}`, baseAddress()).href;
}
