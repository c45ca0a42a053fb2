import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { genFolder, renderProtocol } from "./render-protocol.ts";

for (const [name, text] of await renderProtocol()) {
  const path = join(genFolder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
