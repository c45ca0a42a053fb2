import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { renderProtocols } from "./render-protocol.ts";

test("the generated code is what the .proto files say; if this fails, run: npm run generate", async () => {
  for (const { folder, files } of await renderProtocols()) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const present = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(present.toSorted()).toEqual([...files.keys()].map((name) => join(folder, name)).toSorted());
    for (const [name, text] of files) {
      const isCurrent = (await readFile(join(folder, name), "utf8")) === text;
      expect({ name, isCurrent }).toEqual({ name, isCurrent: true });
    }
  }
});
