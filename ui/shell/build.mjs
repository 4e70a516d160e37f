// Builds the stub of Stash's web app for the browser tests: one bundle for each set of libraries, one style sheet for each theme.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as sass from "sass";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
const modules = join(here, "..", "node_modules");

// What differs between Stash v0.30 and the one of mid-2026: Font Awesome.
const VARIANTS = { "v0.30": "fa6", "mid-2026": "fa7" };

mkdirSync(folder, { recursive: true });
for (const [variant, icons] of Object.entries(VARIANTS)) {
  await build({
    absWorkingDir: here,
    entryPoints: ["main.tsx"],
    bundle: true,
    format: "iife",
    target: "es2020",
    jsx: "transform",
    minify: true,
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"', __DEV__: "false" },
    alias: {
      "@fortawesome/fontawesome-svg-core": `${icons}-core`,
      "@fortawesome/free-solid-svg-icons": `${icons}-solid`,
      "@fortawesome/free-regular-svg-icons": `${icons}-regular`,
      "@fortawesome/free-brands-svg-icons": `${icons}-brands`,
    },
    outfile: join(folder, `${variant}.js`),
  });
}
for (const theme of ["dark", "light"]) {
  const { css } = sass.compile(join(here, "theme", `${theme}.scss`), {
    loadPaths: [modules],
    quietDeps: true,
    silenceDeprecations: ["import", "global-builtin", "color-functions", "slash-div", "if-function"],
    logger: sass.Logger.silent,
    style: "compressed",
  });
  writeFileSync(join(folder, `${theme}.css`), css);
}
