import { describe, expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { camelCase, individualFlags } from "@csi-sidecars/host/sub-commands";
import { components } from "../../../cmd/csi-sidecars/components.ts";
import { randomSeed } from "../../random-seed.ts";
import { deployment, individualSettings, settingsOf, sidecar, sidecarIn, translate } from "./testing/translate.ts";

const argsOf = (...containers: Parameters<typeof deployment>[0]) => sidecarIn(translate(deployment(containers)).stdout).args ?? [];
const election = ["--leader-election"];

describe("the flags of several sidecars", () => {
  test("one value is given once, exceptions with the controller's name, and nobody gets what it did not have", () => {
    const args = argsOf(
      sidecar("csi-provisioner", ["--timeout=60s", "--v=2", "--worker-threads=100", "--retry-interval-max=30m"]),
      sidecar("csi-attacher", ["--timeout=6m", "--v=2", "--worker-threads=100"]),
      sidecar("csi-resizer", ["-timeout", "1m", "-v=5", "--workers=100"]),
      sidecar("csi-snapshotter", ["--v=2", "--worker-threads=100"]),
    );
    expect(args).toEqual([
      "--controllers=attacher,provisioner,resizer,snapshotter",
      "--csi-address=/csi/csi.sock",
      "--v=2",
      "--resizer-v=5",
      "--timeout=60s",
      "--attacher-timeout=6m",
      "--provisioner-retry-interval-max=30m",
      "--worker-threads=100",
    ]);
  });

  test("a default that the common value would change is written down", () => {
    const args = argsOf(
      sidecar("csi-provisioner", ["--timeout=1200s"]),
      sidecar("csi-snapshotter", ["--timeout=20m"]),
      sidecar("csi-resizer"),
    );
    expect(args).toContain("--timeout=1200s");
    expect(args).toContain("--resizer-timeout=10s");
  });

  test("feature gates become one list; one that means something to another sidecar too is reported", () => {
    const { stdout, stderr } = translate(
      deployment([
        sidecar("csi-provisioner", ["--feature-gates=Topology=true,VolumeAttributesClass=false"]),
        sidecar("csi-resizer"),
        sidecar("csi-attacher", ["--feature-gates=MutableCSINodeAllocatableCount=true,Gone=true"]),
      ]),
    );
    expect(sidecarIn(stdout).args).toContain(
      "--feature-gates=Topology=true,VolumeAttributesClass=false,MutableCSINodeAllocatableCount=true",
    );
    expect(stderr).toContain("feature gate VolumeAttributesClass=false now applies to csi-resizer too");
    expect(stderr).toContain("feature gate Gone of csi-attacher is none of csi-sidecars");
  });

  test("leader election of one is leader election of all, with a warning", () => {
    const { stdout, stderr } = translate(
      deployment([sidecar("csi-attacher"), sidecar("csi-external-health-monitor-controller", election)]),
    );
    expect(sidecarIn(stdout).args).toContain("--leader-election=true");
    expect(stderr).toContain("csi-attacher ran without leader election, csi-external-health-monitor-controller with it");
  });

  test.each([
    ["a rolling update", "Deployment", {}, true],
    ["Recreate", "Deployment", { strategy: { type: "Recreate" } }, false],
    ["one replica without surge", "Deployment", { replicas: 1, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }, false],
    ["two replicas without surge", "Deployment", { replicas: 2, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }, true],
    ["a StatefulSet with two replicas", "StatefulSet", { replicas: 2 }, true],
    ["a StatefulSet with one", "StatefulSet", {}, false],
    ["a DaemonSet", "DaemonSet", {}, true],
  ])("%s: whether the new pod has to wait for the old leases", (_what, kind, spec, waits) => {
    const manifest = deployment([sidecar("csi-attacher", election)], {}, spec).replace("kind: Deployment", `kind: ${kind}`);
    const { stdout } = translate(manifest);
    expect(sidecarIn(stdout).args?.includes("--leader-election-migration=wait")).toBe(waits);
  });

  test.each([
    ["by default", {}, election, "25s", undefined],
    [
      "of 20 seconds",
      { terminationGracePeriodSeconds: 20 },
      election,
      "15s",
      "terminationGracePeriodSeconds is 20: calls in flight have 15s",
    ],
    ["of 3 seconds", { terminationGracePeriodSeconds: 3 }, election, "0s", "terminationGracePeriodSeconds is 3: calls in flight have 0s"],
    ["that is longer than the shutdown", { terminationGracePeriodSeconds: 45 }, election, "30s", undefined],
    ["by default, without a lease", {}, [], "30s", undefined],
  ])("with the grace period %s the lease is released before the container is killed", (_what, pod, args, timeout, warning) => {
    const { stdout, stderr } = translate(deployment([sidecar("csi-attacher", args)], pod));
    const { shutdownTimeout } = settingsOf(sidecarIn(stdout).args ?? []).process;
    expect(shutdownTimeout).toBe(Number.parseInt(timeout, 10) * 1000);
    if (warning) expect(stderr).toContain(warning);
    else expect(stderr).not.toContain("terminationGracePeriodSeconds");
  });

  test("different values of a flag that has one value in a process are reported", () => {
    const { stderr, stdout } = translate(
      deployment([
        sidecar("csi-attacher", [...election, "--leader-election-namespace=one"]),
        sidecar("csi-resizer", [...election, "--leader-election-namespace=two"]),
      ]),
    );
    expect(sidecarIn(stdout).args).toContain("--leader-election-namespace=one");
    expect(stderr).toContain(
      '--leader-election-namespace has one value in csi-sidecars, "one" as in csi-attacher; it was "two" in csi-resizer',
    );
  });

  test("unknown flags and values are left out, and reported", () => {
    const { stdout, stderr } = translate(
      deployment([sidecar("csi-attacher", ["--connection-timeout", "15s", "--timeout=soon", "--worker-threads=3"])]),
    );
    expect(sidecarIn(stdout).args).toEqual(["--controllers=attacher", "--csi-address=/csi/csi.sock", "--worker-threads=3"]);
    expect(stderr).toContain("csi-attacher: --connection-timeout 15s is no flag of csi-attacher v4.12.0: it is left out");
    expect(stderr).toContain("csi-attacher: --timeout=soon cannot be understood");
  });

  test("former flags are what says the same today", () => {
    const { stdout, stderr } = translate(
      deployment([
        sidecar("csi-snapshotter", ["--leader-election", "--enable-volume-group-snapshots=false"]),
        sidecar("csi-provisioner", ["-enable-leader-election", "--leader-election-type=leases", "--feature-gates=Topology=true"]),
        sidecar("csi-attacher", ["--leader-election", "--leader-election-type=configmaps"]),
      ]),
    );
    expect(sidecarIn(stdout).args).toContain("--feature-gates=CSIVolumeGroupSnapshot=false,Topology=true");
    expect(stderr).not.toContain("ran without leader election");
    expect(stderr.split("\n").filter((line) => line.includes("no flag of"))).toEqual([
      expect.stringContaining("csi-attacher: --leader-election-type=configmaps is no flag of csi-attacher"),
    ]);
  });

  test("what the new program would refuse is said at once", () => {
    const { stderr } = translate(deployment([sidecar("csi-provisioner", [...election, "--node-deployment"])]));
    expect(stderr).toContain(
      "csi-sidecars will not start with these arguments: --node-deployment and --leader-election exclude each other: each node has its own process",
    );
  });

  test("comments of arguments come along", () => {
    const text = deployment([sidecar("csi-attacher", ["--timeout=6m"])]).replace("--timeout=6m", "--timeout=6m # the array is slow");
    expect(translate(text).stdout).toContain("--timeout=6m # the array is slow\n");
  });
});

describe("variables in arguments", () => {
  const address = (value: string) => ({ env: [{ name: "ADDRESS", value }] });
  const refers = (name: string, more: object) => ({ ...sidecar(name, [], more), args: ["--csi-address=$(ADDRESS)"] });

  test("stay where all sidecars mean the same", () => {
    const { stdout } = translate(
      deployment([refers("csi-attacher", address("/csi/csi.sock")), refers("csi-resizer", address("/csi/csi.sock"))]),
    );
    expect(sidecarIn(stdout)).toMatchObject({
      args: ["--controllers=attacher,resizer", "--csi-address=$(ADDRESS)"],
      env: [{ name: "ADDRESS", value: "/csi/csi.sock" }],
    });
  });

  test("are replaced where another sidecar's variable has the name", () => {
    const path = (name: string, value: string) => ({
      ...sidecar(name, ["--volume-name-prefix=$(PREFIX)"], { env: [{ name: "PREFIX", value }] }),
    });
    const { stdout, stderr } = translate(
      deployment([{ ...sidecar("csi-attacher"), env: [{ name: "PREFIX", value: "a" }] }, path("csi-provisioner", "b")]),
    );
    expect(sidecarIn(stdout).args).toContain("--provisioner-volume-name-prefix=b");
    expect(stderr).not.toContain("PREFIX");
  });

  const variable = (name: string) => ({ name, valueFrom: { configMapKeyRef: { name: "driver", key: name } } });
  const fromConfig = (name: string) => ({ env: [variable(name)] });

  test("that decide about leader election stay: what the manifest does not tell is not dropped", () => {
    const { stdout, stderr } = translate(
      deployment([sidecar("csi-attacher", ["--leader-election=$(LE)"], fromConfig("LE")), sidecar("csi-provisioner", ["--timeout=60s"])]),
    );
    expect(sidecarIn(stdout)).toMatchObject({
      args: expect.arrayContaining(["--leader-election=$(LE)", "--leader-election-migration=wait"]),
      env: expect.arrayContaining([variable("LE")]),
    });
    expect(stderr).toContain("csi-provisioner ran without leader election, csi-attacher with it");
    expect(stderr).not.toContain("will not start");
  });

  test("that decide about leader election give way to a sidecar that says true, with a warning", () => {
    const { stdout, stderr } = translate(
      deployment([sidecar("csi-attacher", ["--leader-election=$(LE)"], fromConfig("LE")), sidecar("csi-resizer", election)]),
    );
    expect(sidecarIn(stdout).args).toContain("--leader-election=true");
    expect(stderr).toContain('--leader-election has one value in csi-sidecars, "true" as in csi-resizer; it was "$(LE)" in csi-attacher');
    expect(stderr).not.toContain("ran without leader election");
  });

  test("that hold feature gates stay beside the gates that are told, with a warning", () => {
    const { stdout, stderr } = translate(
      deployment([
        sidecar("csi-attacher", ["--feature-gates=$(GATES),MutableCSINodeAllocatableCount=true"], fromConfig("GATES")),
        sidecar("csi-provisioner", ["--feature-gates=Topology=true"]),
      ]),
    );
    expect(sidecarIn(stdout).args).toContain("--feature-gates=MutableCSINodeAllocatableCount=true,Topology=true,$(GATES)");
    expect(stderr).toContain("--feature-gates of csi-attacher has $(GATES), which the manifest does not tell");
    expect(stderr).not.toContain("will not start");
  });

  test("that the program reads itself cannot differ: a warning", () => {
    const node = (fieldPath: string) => ({ env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath } } }] });
    const { stderr } = translate(
      deployment([sidecar("csi-provisioner", [], node("spec.nodeName")), sidecar("csi-snapshotter", [], node("status.hostIP"))]),
    );
    expect(stderr).toContain("variable NODE_NAME of csi-snapshotter differs from the one of csi-provisioner, which is kept");
  });
});

describe("whatever the flags of the sidecars are, each controller has the values that its sidecar had", () => {
  const random = seededRandom(randomSeed());
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const candidates = components.filter(({ name }) => name !== "volume-data-source-validator");
  const values: Readonly<Record<string, readonly string[]>> = {
    duration: ["1s", "90s", "1m30s", "10m"],
    int: ["1", "7", "100"],
    uint: ["1", "7", "100"],
    float: ["1", "7.5", "100"],
    bool: ["true", "false", "T"],
    string: ["a", "b"],
  };

  test.each(Array.from({ length: 60 }, (_, at) => at))("%i", () => {
    const chosen = candidates.filter(() => random() < 0.6);
    const enabled = chosen.length > 0 ? chosen : candidates.slice(0, 1);
    const given = enabled.map((component) => {
      const flags = Object.entries(individualFlags(component).own)
        .filter(
          ([name, { type, hidden }]) =>
            values[type] &&
            !hidden &&
            !/path|mode|address|endpoint|health-port|node-deployment|capacity|uuid-length|default-fstype/.test(name),
        )
        .filter(() => random() < 0.4);
      const required = component.name === "node-driver-registrar" ? ["--kubelet-registration-path=/reg/csi.sock"] : [];
      return {
        component,
        names: flags.map(([name]) => name),
        args: [...flags.map(([name, { type }]) => `--${name}=${pick(values[type] ?? [""])}`), ...required],
      };
    });
    const text = deployment(given.map(({ component, args }) => sidecar(component.standalone, args)));
    const settings = settingsOf(sidecarIn(translate(text).stdout).args ?? []);
    for (const { component, names, args } of given) {
      const before = individualSettings(component.name, args).of(component) as Readonly<Record<string, unknown>>;
      const after = settings.of(component) as Readonly<Record<string, unknown>>;
      const notGiven = Object.entries(individualFlags(component).own).filter(
        ([name, { allInOne }]) => !names.includes(name) && allInOne === undefined,
      );
      for (const name of [...names, ...notGiven.map(([each]) => each)].map(camelCase))
        expect([component.name, name, after[name]]).toEqual([component.name, name, before[name]]);
    }
  });
});
