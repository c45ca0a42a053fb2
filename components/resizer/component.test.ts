import { describe, expect, test } from "bun:test";
import { flagsTable, gatesOf, type Program, readCommandLine } from "@csi-sidecars/host";
import { electionNames, VolumeAttributesClass } from "@csi-sidecars/kube";
import { resizer } from "./component.ts";
import { resizerRules } from "./rbac.ts";

const alone = { form: "individual", name: "csi-resizer", component: resizer } as const satisfies Program;
const allInOne = { form: "all-in-one", name: "csi-sidecars", components: [resizer] } as const satisfies Program;

/** What a command line means; throws where it is refused. */
function settingsOf(program: Program, argv: readonly string[]) {
  const line = readCommandLine(program, argv);
  if (line.asks !== "run" || line.settings.problems.length > 0) throw new Error(JSON.stringify(line));
  return line.settings;
}

describe("the command line", () => {
  /** Upstream's flags with their defaults: its own, those of all sidecars, those of logging. */
  const upstream = [
    ...["-master=", "-resync-period=10m", "-workers=10", "-extra-modify-metadata=false", "-timeout=10s", "-retry-interval-start=1s"],
    ...["-retry-interval-max=5m", "-handle-volume-inuse-error=true", "-feature-gates=", "-automaxprocs=false"],
    ...["-version=false", "-kubeconfig=", "-csi-address=/run/csi/socket", "-leader-election=false", "-leader-election-namespace="],
    ...["-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s", "-leader-election-retry-period=5s"],
    ...["-kube-api-qps=5", "-kube-api-burst=10", "-http-endpoint=", "-metrics-address=", "-metrics-path=/metrics"],
    ...["-v=0", "-vmodule=", "-logging-format=text", "-log-flush-frequency=5s", "-log-text-split-stream=false"],
    ...["-log-text-info-buffer-size=0", "-log-json-split-stream=false", "-log-json-info-buffer-size=0"],
  ];

  test("has upstream's flags, with its defaults, and no others", () => {
    const withAll = settingsOf(alone, upstream);
    const withNone = settingsOf(alone, []);
    expect(withAll.process).toEqual(withNone.process);
    expect(withAll.of(resizer)).toEqual(withNone.of(resizer));
    // Its default, no labels, cannot be written.
    const names = ["leader-election-labels", ...upstream.map((flag) => flag.slice(1, flag.indexOf("=")))];
    expect([...Object.keys(resizer.flags), ...resizer.processFlags].toSorted()).toEqual(names.toSorted());
    expect(names).toHaveLength(32);
  });

  test.each<[string, Program, string, object]>([
    ["one dash or two", alone, "-timeout=1m --workers 3", { timeout: 60_000, workers: 3 }],
    ["with the prefix", allInOne, "--resizer-timeout=1m --timeout=5s", { timeout: 60_000 }],
    ["without it, for all components", allInOne, "--timeout=5s --worker-threads=7 --resync=1m", { timeout: 5_000, workers: 7 }],
    [
      "as the chart of the EBS driver has it",
      alone,
      "--timeout=60s --extra-modify-metadata --handle-volume-inuse-error=false --kube-api-qps=20 --kube-api-burst=100 --workers=100 --retry-interval-max=30m --http-endpoint=0.0.0.0:3304",
      {
        ...{ timeout: 60_000, extraModifyMetadata: true, handleVolumeInuseError: false, kubeApiQps: 20, kubeApiBurst: 100, workers: 100 },
        ...{ retryIntervalMax: 1_800_000 },
      },
    ],
    [
      "the same in the all-in-one",
      allInOne,
      "--resizer-timeout=60s --resizer-extra-modify-metadata --resizer-handle-volume-inuse-error=false --resizer-workers=100",
      { timeout: 60_000, extraModifyMetadata: true, handleVolumeInuseError: false, workers: 100 },
    ],
  ])("%s", (_what, program, argv, expected) => {
    expect(settingsOf(program, argv.split(" ")).of(resizer)).toMatchObject(expected);
  });

  test.each([
    ["--workers=0", "for flag --workers: must be greater than zero"],
    ["--timeout=0", "for flag --timeout: must be greater than zero"],
    ["--retry-interval-start=0", "for flag --retry-interval-start: must be greater than zero"],
    ["--leader-election-labels=team", "malformed item in list of labels"],
  ])("%s is refused at the start", (flag, text) => {
    expect(JSON.stringify(readCommandLine(alone, [flag]))).toContain(text);
  });
});

test("the gates are upstream's, and the one of classes depends on the cluster", () => {
  const { AnnotateFsResize, RecoverVolumeExpansionFailure, VolumeAttributesClass: classes, ReleaseLeaderElectionOnExit } = gatesOf(alone);
  expect([AnnotateFsResize, RecoverVolumeExpansionFailure, classes, ReleaseLeaderElectionOnExit]).toMatchObject([
    { initial: true, stage: "beta" },
    { initial: true, stage: "GA" },
    { initial: true, stage: "GA", needs: VolumeAttributesClass },
    { initial: false, stage: "alpha" },
  ]);
});

test.each([
  ["ebs.csi.aws.com", "external-resizer-ebs-csi-aws-com"],
  ["driver.example.com/", "external-resizer-driver-example-com-X"],
])("the lease for driver %s is upstream's: %s", (driver, lease) => {
  expect(electionNames(resizer.legacyLease?.(driver) ?? "", "").leaseName).toBe(lease);
});

describe("what the resizer must be allowed", () => {
  /** Upstream's role, with the rule for secrets that it has commented out. */
  const published: Readonly<Record<string, readonly string[]>> = {
    "/secrets": ["get", "list", "watch"],
    "/persistentvolumes": ["get", "list", "watch", "patch"],
    "/persistentvolumeclaims": ["get", "list", "watch"],
    "/pods": ["get", "list", "watch"],
    "/persistentvolumeclaims/status": ["patch"],
    "/events": ["list", "watch", "create", "update", "patch"],
    "storage.k8s.io/volumeattributesclasses": ["get", "list", "watch"],
  };
  const rules = resizerRules({ handleVolumeInuseError: true });

  test("is nothing that upstream's published role does not grant", () => {
    for (const { apiGroups, resources, verbs } of rules.cluster)
      for (const resource of resources) expect(published[`${apiGroups[0]}/${resource}`]).toEqual(expect.arrayContaining([...verbs]));
  });

  test("is nothing about pods where volumes in use are not waited for", () => {
    const resources = (handleVolumeInuseError: boolean) =>
      resizerRules({ handleVolumeInuseError }).cluster.flatMap((rule) => rule.resources);
    expect([resources(true).includes("pods"), resources(false).includes("pods")]).toEqual([true, false]);
  });

  test("is in the README, with the flags", async () => {
    const cells = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
    const readme = cells(await Bun.file(`${import.meta.dirname}/README.md`).text());
    expect(readme).toContain(cells(flagsTable(resizer)));
    for (const { resources, verbs } of rules.cluster) expect(readme).toContain(`\`${resources.join(", ")}\` | ${verbs.join(", ")} |`);
  });
});
