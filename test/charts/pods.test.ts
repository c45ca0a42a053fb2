import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CommandLine, readCommandLine } from "@csi-sidecars/host";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";
import { readFlags } from "../../packages/hostpath/cli/read-flags.ts";
import { chartPrograms } from "../../tools/generate-deploy/chart-programs.ts";
import type { Manifest } from "../../tools/generate-deploy/manifests.ts";
import { Charts, helmIsMissing } from "./testing/helm.ts";
import { type Container, type PodOwner, podOwners, portOf } from "./testing/pods.ts";
import { valueSets } from "./testing/value-sets.ts";

const programOf = ({ name }: Container) => chartPrograms.find((program) => program.name === name);

function settingsOf(container: Container) {
  const program = programOf(container) ?? chooseProgram("csi-sidecars", []).program;
  const line: CommandLine = readCommandLine(commandLineOf(program), container.args);
  if (line.asks !== "run") throw new Error(JSON.stringify(line));
  return line.settings;
}

const portIn = (address: string) => Number(address.split(":").at(-1));

describe.skipIf(helmIsMissing !== "").each(valueSets)(`%s: %s${helmIsMissing}`, (_about, chart, values) => {
  let charts: Charts;
  let manifests: readonly Manifest[];
  let pods: readonly PodOwner[];
  let ours: readonly (readonly [PodOwner, Container])[];
  beforeAll(async () => {
    charts = await Charts.copy();
    manifests = await charts.render(chart, values);
    pods = podOwners(manifests);
    ours = pods.flatMap((pod) => pod.spec.template.spec.containers.filter(programOf).map((container) => [pod, container] as const));
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  test("the programs accept their arguments, without warnings", () => {
    expect(ours).not.toBeEmpty();
    for (const [, container] of ours) {
      const { problems, warnings } = settingsOf(container);
      expect(problems).toEqual([]);
      // The drivers' probes ask another port where it is not the default one, as the test of probes shows.
      expect(warnings.filter((warning) => !warning.startsWith("livenessprobe does not listen on its default port"))).toEqual([]);
    }
  });

  test("who is elected waits for the sidecars that a rolling update has not come to", () => {
    for (const [, container] of ours) {
      const { leaderElection, leaderElectionMigration } = settingsOf(container).process;
      if (programOf(container)?.name === "csi-sidecars" && leaderElection) expect(leaderElectionMigration).toBe("wait");
    }
  });

  test("the hostpath driver accepts its own", () => {
    const drivers = pods.flatMap(({ spec }) => spec.template.spec.containers).filter(({ name }) => name === "hostpath");
    expect(drivers).toHaveLength(chart === "csi-hostpath" ? 1 : 0);
    for (const { args } of drivers) expect(readFlags(args, {}).settings.endpoint).toBe("unix:///csi/csi.sock");
  });

  test("the environment has what the controllers ask for", () => {
    for (const [, container] of ours) {
      const settings = settingsOf(container);
      const env = Object.fromEntries((container.env ?? []).map(({ name }) => [name, "set"]));
      const missing = programOf(container)?.components.flatMap((component) => {
        if (!settings.enabled.includes(component.name)) return [];
        return component.missingEnvironment?.(settings.of(component), { env, flagName: (flag) => flag }) ?? [];
      });
      expect(missing).toEqual([]);
    }
  });

  test("probes ask ports that are served, and containers name them", () => {
    for (const [{ spec }, container] of ours) {
      const settings = settingsOf(container);
      const pod = spec.template.spec;
      const served = portIn(settings.process.httpEndpoint);
      expect(container.ports?.find(({ name }) => name === "http")?.containerPort).toBe(served);
      expect(portOf(pod, container, container.livenessProbe!)).toBe(served);
      const https = Number(container.args.find((arg) => arg.startsWith("--port="))?.slice("--port=".length));
      expect(portOf(pod, container, container.readinessProbe!)).toBe(https || served);
      const driver = pod.containers.find((other) => other !== container);
      if (driver?.livenessProbe) {
        expect(settings.enabled).toContain("livenessprobe");
        expect([driver.livenessProbe.httpGet.path, portOf(pod, driver, driver.livenessProbe)]).toEqual(["/healthz", served]);
      }
      for (const one of pod.containers) {
        for (const probe of [one.livenessProbe, one.readinessProbe])
          if (probe) expect(probe.httpGet.host).toBe(pod.hostNetwork ? "127.0.0.1" : undefined);
      }
      expect(settings.process.httpEndpoint).toStartWith(pod.hostNetwork ? "127.0.0.1:" : "0.0.0.0:");
    }
  });

  test("our containers have the least privileges and limits", () => {
    for (const [{ spec }, container] of ours) {
      expect(spec.template.spec.securityContext).toMatchObject({ seccompProfile: { type: "RuntimeDefault" } });
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      const registers = container.args.some((arg) => arg.includes("node-driver-registrar"));
      const user = { ...spec.template.spec.securityContext, ...container.securityContext };
      expect(user).toMatchObject(registers ? { runAsUser: 0 } : { runAsNonRoot: true, runAsUser: 65532 });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      // Longer than --shutdown-timeout.
      expect(spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(settingsOf(container).process.shutdownTimeout);
    }
  });

  test("every volume that is mounted exists, and the socket is where the program looks", () => {
    for (const { spec } of pods) {
      const { containers, volumes = [] } = spec.template.spec;
      const names = volumes.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const { volumeMounts = [] } of containers) expect(names).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
    }
    for (const [, container] of ours.filter(([, { name }]) => name === "csi-sidecars")) {
      const { csiAddress } = settingsOf(container).process;
      expect(container.volumeMounts?.some(({ name, mountPath }) => name === "socket" && csiAddress.startsWith(`${mountPath}/`))).toBe(true);
    }
  });

  test("what selects pods selects those of one workload", () => {
    interface Selects extends Manifest {
      readonly spec: { readonly selector?: object; readonly podSelector?: object };
    }
    const selecting = manifests.filter((manifest): manifest is Selects =>
      ["Service", "PodDisruptionBudget", "NetworkPolicy", "PodMonitor", "Deployment", "DaemonSet", "StatefulSet"].includes(manifest.kind),
    );
    for (const { kind, metadata, spec } of selecting) {
      const selector = spec.podSelector ?? spec.selector ?? {};
      const labels = Object.entries("matchLabels" in selector ? (selector.matchLabels ?? {}) : selector);
      const selected = pods.filter((pod) => labels.every(([name, value]) => pod.spec.template.metadata.labels[name] === value));
      expect([kind, metadata.name, selected.length]).toEqual([kind, metadata.name, 1]);
    }
  });

  test("nothing is made twice, and every account is there", () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    const accounts = pods.map(({ metadata, spec }) => `ServiceAccount ${metadata.namespace} ${spec.template.spec.serviceAccountName}`);
    expect(names).toEqual(expect.arrayContaining(accounts));
  });
});

describe.skipIf(helmIsMissing !== "")(`what values replace${helmIsMissing}`, () => {
  test("how legacy leases are treated", async () => {
    await using charts = await Charts.copy();
    const argsWith = async (flags: object) => {
      const [pod] = podOwners(
        await charts.render("example-driver", { "csi-sidecars": { controller: { flags }, node: { enabled: false } } }),
      );
      return pod!.spec.template.spec.containers[0]!.args.filter((word) => word.startsWith("--leader-election-migration"));
    };
    expect(await argsWith({})).toEqual(["--leader-election-migration=wait"]);
    expect(await argsWith({ "leader-election-migration": "skip" })).toEqual(["--leader-election-migration=skip"]);
  });

  test("also what is false or 0 in a security context", async () => {
    await using charts = await Charts.copy();
    const controller = { podSecurityContext: { runAsNonRoot: false, runAsUser: 0 }, securityContext: { readOnlyRootFilesystem: false } };
    const [pod] = podOwners(await charts.render("example-driver", { "csi-sidecars": { controller, node: { enabled: false } } }));
    const { securityContext, containers } = pod!.spec.template.spec;
    expect(securityContext).toEqual({
      runAsNonRoot: false,
      runAsUser: 0,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(containers[0]?.securityContext).toEqual({
      readOnlyRootFilesystem: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
  });
});
