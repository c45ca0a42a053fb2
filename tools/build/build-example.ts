// `npm run build:example`: the example drivers for Windows in dist/windows-amd64/, with the runtime from the npm registry.
// `--out <folder>` writes to another folder. They are not part of a release.

import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildVersion, compile } from "./compile.ts";
import { runtimeFor, targets } from "./runtime.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const target = targets.find(({ name }) => name === "windows-amd64");
if (!target) throw new Error("tools/build/runtime.ts has no target windows-amd64");
const { bunTarget, bytecode, name } = target;
const folder = join(resolve(values.out ?? join(root, "dist")), name);
const platform = { bunTarget, runtime: await runtimeFor(target, root, process.env) };
for (const example of readdirSync(join(root, "examples"))) {
  const file = compile({
    ...buildVersion(root),
    root,
    program: `examples/${example}`,
    folder,
    fileName: `${example}.exe`,
    bytecode,
    platform,
  });
  console.log(relative(process.cwd(), file));
}
