import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "@csi-sidecars/diagnose/commands";
import { realProcessEnv } from "@csi-sidecars/host";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { commands } from "../../cmd/csi-sidecars/commands.ts";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { familiesOf } from "../../tools/generate-docs/metrics/metric-families.ts";
import { metricGroups } from "../../tools/generate-docs/metrics/metric-groups.ts";
import { rules } from "./testing/shipped.ts";
import { page, situations, spansIn } from "./testing/troubleshooting-page.ts";

const root = join(import.meta.dirname, "../..");

/** The sources of these folders, with strings that are put together over several lines in one piece. */
function sourcesOf(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync({ cwd: root })])
    .filter((file) => !/node_modules\/|\.test\.ts$|\/testing\//.test(file))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")
    .replaceAll(/["`] \+\s*["`]/g, "");
}
const diagnosing = sourcesOf("packages/diagnose", "components");
const running = sourcesOf("packages/host", "packages/kube", "packages/csi", "packages/controller", "components");

const said = (kind: string) => situations.flatMap(({ title, looks }) => (looks.get(kind) ?? []).map((text) => [title, text] as const));
/** The pieces between what differs. */
const pieces = (text: string) =>
  text
    .split("…")
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");

test("there are situations, each with something to look at and something to do", () => {
  expect(situations.length).toBeGreaterThanOrEqual(20);
  for (const { title, looks, remedy } of situations) {
    expect([title, looks.size > 0, remedy.length > 20]).toEqual([title, true, true]);
    expect([...looks.keys()].filter((kind) => !["command", "why", "event", "log", "metric", "alert"].includes(kind))).toEqual([]);
  }
});

test.each(said("why"))("%s: why says %p", (_, text) => {
  expect(pieces(text).filter((piece) => !diagnosing.includes(piece))).toEqual([]);
});

test.each(said("log").filter(([, text]) => text.includes(" ")))("%s: the log has %p", (_, text) => {
  expect(pieces(text).filter((piece) => !running.includes(piece))).toEqual([]);
});

test.each(said("event").filter(([, text]) => /^[A-Z]\w+$/.test(text)))("%s: there are events %p", (_, reason) => {
  expect(`${running}${diagnosing}`).toContain(`"${reason}"`);
});

describe("metrics", () => {
  const families = new Map(metricGroups.flatMap((group) => familiesOf(group).map(({ name, labels }) => [name, labels] as const)));

  test.each(said("metric").filter(([, text]) => /^[a-z]+_[a-z_]+_/.test(text)))("%s: %p", (_, text) => {
    const [, name = "", labels = ""] = /^(\w+)(?:\{([\w,]+)\})?$/.exec(text) ?? [];
    expect(labels.split(",").filter((label) => label !== "")).toEqual([...(families.get(name) ?? ["unknown metric"])]);
  });
});

describe("alerts", () => {
  test.each(rules.map(({ alert, annotations }) => [alert, annotations.runbook_url] as const))(
    "%s leads to its section %s",
    (alert, url) => {
      const [, anchor] = /^docs\/troubleshooting\.md#(.+)$/.exec(url) ?? [];
      expect(situations.find((situation) => situation.anchor === anchor)?.looks.get("alert") ?? []).toContain(alert);
    },
  );

  test("none is named that does not exist", () => {
    expect(
      said("alert")
        .map(([, alert]) => alert)
        .sort(),
    ).toEqual(rules.map(({ alert }) => alert).sort());
  });
});

const fromBlocks = [...page.matchAll(/^(csi-sidecars [^#\n]+)/gm)].map(([, line = ""]) => line.trim());
const lines = [...new Set([...fromBlocks, ...spansIn(page).filter((span) => span.startsWith("csi-sidecars "))])];

describe("commands", () => {
  let folder: string;
  let cluster: Cluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "csi-commands-"));
    cluster = await startCluster();
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig(cluster.adminToken));
  }, 60_000);
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test.each(lines)("%s is understood", async (line) => {
    const [, ...words] = line.split(" ");
    // There is no driver, and no process to look at.
    const more: Readonly<Record<string, readonly string[]>> = {
      top: ["--once"],
      check: ["--time-limit=100ms"],
      audit: [],
      why: [],
      rbac: [],
    };
    const kubeconfig = words[0] === "top" ? [] : [`--kubeconfig=${join(folder, words[0] === "why" ? "kubeconfig" : "none")}`];
    const printed: string[] = [];
    const sink = { write: (text: string) => void printed.push(text), flush() {} };
    const argv = [...words, ...(more[words[0] ?? ""] ?? ["unknown command"]), ...kubeconfig];
    const exitCode = await runCommand(commands, chooseProgram("csi-sidecars", []).program, {
      ...realProcessEnv(),
      argv,
      stdout: sink,
      stderr: sink,
    });
    expect(printed.join("")).toMatch(/^(?!.*(for usage|unknown))./s);
    // It also means that nothing could be compared.
    if (words[0] !== "audit") expect(exitCode).not.toBe(2);
  });
});

test("the flags exist", () => {
  const documented = readFileSync(join(root, "docs/flags.md"), "utf8");
  const names = spansIn(page).flatMap((span) => /^(--[\w-]+)(=\S*)?$/.exec(span)?.[1] ?? []);
  const plain = (name: string) => components.reduce((rest, { name: owner }) => rest.replace(`--${owner}-`, "--"), name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !documented.includes(`\`${name}\``) && !documented.includes(`\`${plain(name)}\``))).toEqual([]);
});
