import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "@csi-sidecars/host";
import { parse } from "yaml";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";

interface Container {
  readonly args: readonly string[];
}

/** The containers that a page shows, without those that it calls planned. Other YAML is no list. */
function containersIn(page: string): readonly Container[] {
  const text = readFileSync(join(import.meta.dirname, "../../docs", page), "utf8");
  return [...text.matchAll(/^( *)```yaml\n(.*?)^\1```$/gms)]
    .map(([, , block = ""]) => block)
    .filter((block) => block.trimStart().startsWith("- ") && !block.includes("# planned"))
    .flatMap((block): readonly Container[] => parse(block));
}

const shown = ["getting-started.md", "migration.md"].flatMap((page) => containersIn(page).map(({ args }) => [page, args] as const));

test("the pages show containers", () => {
  expect(shown).toHaveLength(6);
});

test.each(shown)("the program accepts the arguments in %s: %p", (_page, args) => {
  const command = readCommandLine({ form: "all-in-one", name: "csi-sidecars", components, separate }, args);
  if (command.asks !== "run") throw new Error(JSON.stringify(command));
  expect({ problems: command.settings.problems, warnings: command.settings.warnings }).toEqual({ problems: [], warnings: [] });
});
