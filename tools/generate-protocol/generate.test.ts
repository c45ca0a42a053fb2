import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { genFolder, renderProtocol } from "./render-protocol.ts";

test("the generated code is what the .proto files say; if this fails, run: npm run generate", async () => {
  const rendered = await renderProtocol();
  const entries = await readdir(genFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.toSorted()).toEqual([...rendered.keys()].map((name) => join(genFolder, name)).toSorted());
  for (const [name, text] of rendered) {
    const isCurrent = (await readFile(join(genFolder, name), "utf8")) === text;
    expect({ name, isCurrent }).toEqual({ name, isCurrent: true });
  }
});
