import { describe, expect, test } from "bun:test";
import { flagsTable, type Program, readCommandLine } from "@csi-sidecars/host";
import { electionNames } from "@csi-sidecars/kube";
import { healthMonitor } from "./component.ts";
import { healthMonitorRules } from "./rbac.ts";

const name = "csi-external-health-monitor-controller";
const alone = { form: "individual", name, component: healthMonitor } as const satisfies Program;
const allInOne = { form: "all-in-one", name: "csi-sidecars", components: [healthMonitor] } as const satisfies Program;

/** What a command line means; throws where it is refused. */
function settingsOf(program: Program, argv: readonly string[]) {
  const line = readCommandLine(program, argv);
  if (line.asks !== "run" || line.settings.problems.length > 0) throw new Error(JSON.stringify(line));
  return line.settings;
}

describe("the command line", () => {
  /** Upstream's flags with their defaults: its own, those of all sidecars, those of logging. */
  const upstream = [
    ...["-monitor-interval=1m", "-list-volumes-interval=5m", "-volume-list-add-interval=5m", "-node-list-add-interval=5m"],
    ...["-worker-threads=10", "-enable-node-watcher=false", "-timeout=15s", "-resync=10m", "-automaxprocs=false"],
    ...["-version=false", "-kubeconfig=", "-csi-address=/run/csi/socket", "-leader-election=false", "-leader-election-namespace="],
    ...["-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s", "-leader-election-retry-period=5s"],
    ...["-kube-api-qps=5", "-kube-api-burst=10", "-http-endpoint=", "-metrics-address=", "-metrics-path=/metrics"],
    ...["-v=0", "-vmodule=", "-logging-format=text", "-log-flush-frequency=5s", "-log-text-split-stream=false"],
    ...["-log-text-info-buffer-size=0", "-log-json-split-stream=false", "-log-json-info-buffer-size=0"],
  ];

  test("has upstream's flags, with its defaults", () => {
    const withAll = settingsOf(alone, upstream);
    const withNone = settingsOf(alone, []);
    expect(withAll.process).toEqual(withNone.process);
    expect(withAll.of(healthMonitor)).toEqual(withNone.of(healthMonitor));
  });

  test.each<[string, Program, string, object]>([
    ["with the prefix", allInOne, "--health-monitor-timeout=1m --timeout=5s", { timeout: 60_000 }],
    ["without it, for all components", allInOne, "--timeout=5s --worker-threads=7", { timeout: 5_000, workerThreads: 7 }],
    [
      "what upstream lacks",
      allInOne,
      "--health-monitor-max-entries=100 --health-monitor-report-missing-volumes",
      { maxEntries: 100, reportMissingVolumes: true },
    ],
  ])("%s", (_what, program, argv, expected) => {
    expect(settingsOf(program, ["--controllers=health-monitor", ...argv.split(" ")]).of(healthMonitor)).toMatchObject(expected);
  });

  test.each(["--worker-threads=0", "--timeout=0", "--monitor-interval=0", "--list-volumes-interval=0"])(
    "%s is refused at the start",
    (flag) => {
      expect(JSON.stringify(readCommandLine(alone, [flag]))).toContain(`for flag ${flag.slice(0, -2)}: must be greater than zero`);
    },
  );

  test("a negative number of entries is refused at the start", () => {
    const argv = ["--controllers=health-monitor", "--health-monitor-max-entries=-1"];
    expect(JSON.stringify(readCommandLine(allInOne, argv))).toContain("for flag --health-monitor-max-entries: must not be negative");
  });

  test.each(["--volume-list-add-interval=1m", "--node-list-add-interval=1m"])("%s has no effect, and says so", (flag) => {
    expect(settingsOf(alone, [flag]).warnings).toEqual([expect.stringContaining("no effect")]);
  });

  test.each(["--feature-gates=X=true", "--max-entries=1", "--report-missing-volumes"])("%s is unknown to upstream's program", (flag) => {
    expect(() => settingsOf(alone, [flag])).toThrow();
  });
});

test("the lease of upstream's program is known", () => {
  const lease = healthMonitor.legacyLease?.("hostpath.csi.k8s.io") ?? "";
  expect(electionNames(lease, "host").leaseName).toBe("external-health-monitor-leader-hostpath-csi-k8s-io");
});

test("the rules ask for nothing that upstream's published role does not grant", () => {
  const read = ["get", "list", "watch"];
  const granted: Record<string, readonly string[]> = {
    ...{ persistentvolumes: read, persistentvolumeclaims: read, nodes: read, pods: read },
    events: [...read, "create", "patch"],
  };
  for (const enableNodeWatcher of [false, true]) {
    for (const { resources, verbs } of healthMonitorRules({ enableNodeWatcher }).cluster) {
      for (const resource of resources) expect(granted[resource]).toEqual(expect.arrayContaining([...verbs]));
    }
  }
  const resources = healthMonitorRules({ enableNodeWatcher: false }).cluster.flatMap((rule) => rule.resources);
  expect(resources).toEqual(["persistentvolumes", "persistentvolumeclaims", "events"]);
});

test("the README shows the flags and the rules as they are", async () => {
  const cells = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
  const readme = cells(await Bun.file(`${import.meta.dirname}/README.md`).text());
  expect(readme).toContain(cells(flagsTable(healthMonitor)));
  for (const { resources, verbs } of healthMonitorRules({ enableNodeWatcher: true }).cluster)
    expect(readme).toContain(`\`${resources.join(", ")}\` | ${verbs.join(", ")} |`);
});
