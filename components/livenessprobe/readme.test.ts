import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { flagsTable } from "@csi-sidecars/host";
import { livenessprobe } from "./component.ts";

test("the README shows the flags as they are", async () => {
  expect(await readFile(new URL("README.md", import.meta.url), "utf8")).toContain(flagsTable(livenessprobe));
});
