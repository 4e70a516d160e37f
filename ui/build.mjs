// Builds ui/dist: the entry that every page of Stash loads, the page that is loaded when it is opened, the styles.
// `node build.mjs <folder> <version>` builds them elsewhere, as those of another version.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "dist");
const manifest = readFileSync(join(here, "..", "Stash2Plex.yml"), "utf8");
const version = process.argv[3] ?? /^version: (\S+)$/m.exec(manifest)[1];
const shim = (name) => join(here, "src", "shims", name);

// A second React, Router or Apollo would have no context of Stash's: ours are the ones that Stash brought.
const alias = {
  react: shim("react.ts"),
  "react-router-dom": shim("react_router_dom.ts"),
  "react-bootstrap": shim("react_bootstrap.ts"),
  "@apollo/client": shim("apollo.ts"),
};

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: "es2019",
  jsx: "transform",
  supported: { "dynamic-import": true },
  define: { __VERSION__: JSON.stringify(version) },
  alias,
};

mkdirSync(folder, { recursive: true });
await build({ ...shared, entryPoints: ["src/entry/main.ts"], format: "iife", outfile: join(folder, "entry.js") });
await build({ ...shared, entryPoints: ["src/page/main.ts"], format: "esm", outfile: join(folder, "page.js") });
await build({ ...shared, entryPoints: ["src/styles.css"], outfile: join(folder, "stash2plex.css") });
