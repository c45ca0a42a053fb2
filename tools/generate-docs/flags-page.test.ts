import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { flagsPage } from "./flags-page.ts";
import { separatePrograms } from "./separate-programs.ts";

/** Without the padding that the formatter gives tables. */
const plain = (markdown: string) => markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("docs/flags.md shows the flags as they are; else run npm run generate:docs", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/flags.md"), "utf8");
  expect(plain(page)).toBe(plain(flagsPage({ form: "all-in-one", name: "csi-sidecars", components, separate }, separatePrograms)));
});
