import { describe, expect, test } from "bun:test";
import { flagsTable, readCommandLine } from "@csi-sidecars/host";
import { attacher } from "./component.ts";
import { attacherRules } from "./rbac.ts";

const alone = { form: "individual", name: "csi-attacher", component: attacher } as const;
const allInOne = { form: "all-in-one", name: "csi-sidecars", components: [attacher] } as const;

describe("the command line", () => {
  test.each<[string, typeof alone | typeof allInOne, string, object]>([
    [
      "upstream's defaults",
      alone,
      "",
      {
        ...{ timeout: 15_000, workerThreads: 10, retryIntervalStart: 1_000, retryIntervalMax: 300_000, resync: 600_000 },
        ...{ reconcileSync: 60_000, maxEntries: 0, defaultFstype: "", kubeApiQps: 5, kubeApiBurst: 10 },
      },
    ],
    ["one dash or two", alone, "-timeout=1m --worker-threads 3", { timeout: 60_000, workerThreads: 3 }],
    ["with the prefix", allInOne, "--attacher-timeout=1m --timeout=5s", { timeout: 60_000 }],
    ["without it, for all components", allInOne, "--timeout=5s", { timeout: 5_000 }],
    ["the KEP's spelling", allInOne, "--attacher-worker-thread=3", { workerThreads: 3 }],
  ])("%s", (_what, program, argv, expected) => {
    const line = readCommandLine(program, argv.split(" ").filter(Boolean));
    if (line.asks !== "run") throw new Error(JSON.stringify(line));
    expect(line.settings.problems).toEqual([]);
    expect(line.settings.of(attacher)).toMatchObject(expected);
  });

  test("no workers is a mistake", () => {
    const line = readCommandLine(alone, ["--worker-threads=0"]);
    expect(line).toMatchObject({ settings: { problems: ['invalid value "0" for flag --worker-threads: must be greater than zero'] } });
  });
});

test("the lease of upstream's program is known", () => {
  expect(attacher.legacyLease?.("csi.example.com")).toBe("external-attacher-leader-csi.example.com");
});

test("the rules ask for nothing that upstream's published role does not grant", () => {
  const published: Record<string, readonly string[]> = {
    "/persistentvolumes": ["get", "list", "watch", "patch"],
    "storage.k8s.io/csinodes": ["get", "list", "watch"],
    "storage.k8s.io/volumeattachments": ["get", "list", "watch", "patch"],
    "storage.k8s.io/volumeattachments/status": ["patch"],
    "/secrets": ["get", "list"],
  };
  for (const { apiGroups, resources, verbs, because } of attacherRules.cluster) {
    for (const resource of resources) {
      const granted = published[`${apiGroups[0]}/${resource}`] ?? [];
      if (because === undefined) expect([...verbs]).toEqual([...granted]);
      else expect(granted).toEqual(expect.arrayContaining([...verbs]));
    }
  }
});

test("the README shows the flags and the rules as they are", async () => {
  const cells = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
  const readme = cells(await Bun.file(`${import.meta.dirname}/README.md`).text());
  expect(readme).toContain(cells(flagsTable(attacher)));
  for (const { resources, verbs } of attacherRules.cluster) expect(readme).toContain(`\`${resources.join(", ")}\` | ${verbs.join(", ")} |`);
});
