import { describe, expect, test } from "bun:test";
import type { Program } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";
import { spellingsOf } from "./spellings.ts";
import {
  allInOne,
  attacher,
  components,
  healthMonitor,
  individual,
  livenessprobe,
  provisioner,
  registrar,
  resizer,
  snapshotter,
  validator,
} from "./testing/components.ts";

function accepted(program: Program, argv: readonly string[]) {
  const commandLine = readCommandLine(program, argv);
  if (commandLine.asks !== "run") throw new Error(commandLine.asks === "nothing" ? commandLine.misuse : "help");
  expect(commandLine.settings.problems).toEqual([]);
  return commandLine.settings;
}

const ebs = "--csi-address=/var/lib/csi/sockets/pluginproxy/csi.sock --v=2 --leader-election=true --kube-api-qps=20 --kube-api-burst=100";

/** How drivers run the sidecars today. */
const today = [
  [
    "csi-provisioner",
    provisioner,
    `--timeout=60s ${ebs} --feature-gates=Topology=true --extra-create-metadata --default-fstype=ext4 --worker-threads=100 --retry-interval-max=30m --http-endpoint=0.0.0.0:3302`,
  ],
  [
    "csi-attacher",
    attacher,
    `--timeout=6m ${ebs} --worker-threads=100 --retry-interval-max=5m --feature-gates=MutableCSINodeAllocatableCount=true --http-endpoint=0.0.0.0:3303`,
  ],
  [
    "csi-snapshotter",
    snapshotter,
    `${ebs} --extra-create-metadata --worker-threads=100 --retry-interval-max=30m --http-endpoint=0.0.0.0:3306`,
  ],
  [
    "csi-resizer",
    resizer,
    `--timeout=60s --extra-modify-metadata ${ebs} --handle-volume-inuse-error=false --workers=100 --retry-interval-max=30m --http-endpoint=0.0.0.0:3304`,
  ],
  [
    "csi-external-health-monitor-controller",
    healthMonitor,
    "--v=5 --csi-address=/csi/csi.sock --leader-election --http-endpoint=:8080 --enable-node-watcher=true --monitor-interval=30s",
  ],
  ["livenessprobe", livenessprobe, "--csi-address=/csi/csi.sock --probe-timeout=60s --metrics-address=0.0.0.0:3305"],
  [
    "csi-node-driver-registrar",
    registrar,
    "--csi-address=/csi/csi.sock --kubelet-registration-path=/var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock --http-endpoint=0.0.0.0:9809 --v=2",
  ],
  [
    "csi-provisioner",
    provisioner,
    "-v=2 --csi-address=/csi/csi.sock --leader-election --leader-election-namespace=kube-system --extra-create-metadata=true --feature-gates=VolumeAttributesClass=false --timeout=1200s --retry-interval-max=30m",
  ],
  [
    "csi-resizer",
    resizer,
    "-csi-address=/csi/csi.sock -v=2 -leader-election -leader-election-namespace=kube-system -handle-volume-inuse-error=false -feature-gates=VolumeAttributesClass=false",
  ],
  [
    "csi-snapshotter",
    snapshotter,
    "--v=2 --csi-address=/csi/csi.sock --leader-election-namespace=kube-system --leader-election --timeout=1200s --retry-interval-max=30m",
  ],
  ["livenessprobe", livenessprobe, "--csi-address=/csi/csi.sock --probe-timeout=3s --http-endpoint=localhost:29652 --v=2"],
  [
    "csi-node-driver-registrar",
    registrar,
    "--v=2 --csi-address=/csi/csi.sock --kubelet-registration-path=/var/lib/kubelet/plugins/csi-nfsplugin/csi.sock --http-endpoint=localhost:19809",
  ],
] as const;

describe("a sidecar's command line of today", () => {
  test.each(today)("%s", (name, component, argv) => {
    accepted(individual(component, name), argv.split(" "));
  });

  test.each(today)("%s, as the only controller of the all-in-one", (_, component, argv) => {
    accepted(allInOne, [`--controllers=${component.name}`, ...argv.split(" ")]);
  });
});

test.each(components.map((component) => [component.name, component] as const))(
  "every upstream flag of %s works unchanged in the all-in-one when it is alone",
  (name, component) => {
    for (const [spelling, { whenBare }] of spellingsOf(individual(component, name))) {
      const flag = whenBare === undefined ? [`--${spelling}`, exampleOf(spelling)] : [`--${spelling}`];
      const ours = accepted(allInOne, [`--controllers=${name}`, ...flag]);
      expect(ours.warnings.filter((warning) => !warning.includes("deprecated"))).toEqual([]);
    }
  },
);

function exampleOf(spelling: string): string {
  if (/labels/.test(spelling)) return "a:b";
  if (/gates/.test(spelling)) return "A=true";
  if (spelling === "vmodule") return "a=1";
  if (spelling === "metrics-path") return "/7";
  if (/timeout|interval|resync|sync|delay|duration|deadline|period|frequency/.test(spelling)) return "7s";
  return "7";
}

describe("the all-in-one's command lines of the migration guides", () => {
  test("EBS, controller", () => {
    const settings = accepted(allInOne, [
      "--controllers=attacher,provisioner,resizer,snapshotter,livenessprobe",
      "--csi-address=/var/lib/csi/sockets/pluginproxy/csi.sock",
      "--v=2",
      "--leader-election=true",
      "--leader-election-migration=wait",
      "--kube-api-qps=20",
      "--kube-api-burst=100",
      "--worker-threads=100",
      "--timeout=60s",
      "--attacher-timeout=6m",
      "--retry-interval-max=30m",
      "--attacher-retry-interval-max=5m",
      "--extra-create-metadata",
      "--resizer-extra-modify-metadata",
      "--resizer-handle-volume-inuse-error=false",
      "--provisioner-default-fstype=ext4",
      "--feature-gates=Topology=true,MutableCSINodeAllocatableCount=true",
      "--livenessprobe-probe-timeout=60s",
      "--livenessprobe-health-port=9808",
      "--http-endpoint=0.0.0.0:3302",
    ]);
    expect(settings.of(attacher)).toMatchObject({ timeout: 360_000, retryIntervalMax: 300_000, workerThreads: 100, kubeApiQps: 20 });
    expect(settings.of(resizer)).toMatchObject({ timeout: 60_000, retryIntervalMax: 1_800_000, workers: 100, extraModifyMetadata: true });
    expect(settings.of(provisioner)).toMatchObject({ defaultFstype: "ext4", extraCreateMetadata: true });
    expect(settings.of(snapshotter)).toMatchObject({ timeout: 60_000, extraCreateMetadata: true });
    expect(settings.of(livenessprobe)).toMatchObject({ probeTimeout: 60_000, healthPort: "9808" });
    expect(settings.process.leaderElectionMigration).toBe("wait");
  });

  test("NFS, controller", () => {
    const settings = accepted(allInOne, [
      "--controllers=provisioner,resizer,snapshotter,livenessprobe",
      "--csi-address=/csi/csi.sock",
      "--v=2",
      "--leader-election",
      "--leader-election-namespace=kube-system",
      "--feature-gates=VolumeAttributesClass=false",
      "--provisioner-extra-create-metadata=true",
      "--timeout=1200s",
      "--resizer-timeout=10s",
      "--retry-interval-max=30m",
      "--resizer-retry-interval-max=5m",
      "--resizer-handle-volume-inuse-error=false",
      "--livenessprobe-http-endpoint=localhost:29652",
    ]);
    expect(settings.of(snapshotter)).toMatchObject({ extraCreateMetadata: false, timeout: 1_200_000 });
    expect(settings.of(resizer)).toMatchObject({ timeout: 10_000, retryIntervalMax: 300_000 });
  });

  test.each([
    "--kubelet-registration-path=/var/lib/kubelet/x/csi.sock --livenessprobe-health-port=9808 --node-driver-registrar-http-endpoint=0.0.0.0:9809",
    "--csi-address=/csi/csi.sock --kubelet-registration-path=/x/csi.sock --livenessprobe-http-endpoint=localhost:29653 --node-driver-registrar-http-endpoint=localhost:19809",
  ])("node: %s", (argv) => {
    const settings = accepted(allInOne, ["--controllers=node-driver-registrar,livenessprobe", ...argv.split(" ")]);
    expect(settings.of(registrar).kubeletRegistrationPath).toEndWith("csi.sock");
  });

  test("the proposal's own spellings", () => {
    const settings = accepted(
      allInOne,
      "--controllers=attacher,provisioner --csi-address=unix:/csi/csi.sock --attacher-worker-thread=5 --attacher-timeout=30s --timeout=30s".split(
        " ",
      ),
    );
    expect(settings.of(attacher).workerThreads).toBe(5);
    accepted(allInOne, ["--controllers=volume-data-source-validator", "--logtostderr=true"]);
    expect(accepted(allInOne, ["--controllers=data-source-validator"]).of(validator).workerThreads).toBe(10);
  });
});
