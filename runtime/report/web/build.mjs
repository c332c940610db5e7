// Bundles src/ to one page, with its style and script inside: dist/page.html, or the file that is
// named. The policy allows that script and that style and nothing else.
import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "dist/page.html");

const {outputFiles} = await build({
  entryPoints: [join(here, "src/main.tsx")],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome110", "firefox115"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  outdir: "out",
  write: false,
});
const text = kind => outputFiles.find(file => file.path.endsWith(kind)).text.trim();
const script = text(".js"), style = text(".css");
if (/<\/script|<!--/i.test(script) || /<\//.test(style) || (script + style).includes(')gmprof"'))
  throw Error("the bundle cannot be put into a page as it is");

const hash = content => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const marks = {STYLE: style, SCRIPT: script, STYLE_HASH: hash(style), SCRIPT_HASH: hash(script)};
const page = readFileSync(join(here, "src/page.html"), "utf8")
                 .replace(/@([A-Z_]+)@/g, (mark, name) => marks[name] ?? mark);
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, page);
