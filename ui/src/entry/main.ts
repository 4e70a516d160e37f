/** What every page of Stash loads: it registers, and asks nothing. */
import { findApi } from "../stash/plugin_api";
import { install } from "./install";

declare global {
  interface Window {
    stash2plexIsInstalled?: true;
  }
}

const api = findApi();
if (api && !window.stash2plexIsInstalled) {
  window.stash2plexIsInstalled = true;
  install(api);
}
