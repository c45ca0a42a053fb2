import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { renderProtocols } from "./render-protocol.ts";

for (const { folder, files } of await renderProtocols()) {
  for (const [name, text] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
