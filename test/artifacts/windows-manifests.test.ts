import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "@csi-sidecars/host";
import { isAlreadyExists, Namespace } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { parse } from "yaml";
import { program as csiProxy, csiProxyFlags } from "../../cmd/csi-proxy/flags.ts";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import {
  containerIn,
  type Manifest,
  manifestFiles,
  manifestsFolder,
  manifestsIn,
  workloadIn,
} from "../../tools/generate-deploy/manifests.ts";
import { dryRun } from "./testing/dry-run.ts";

/** What the tests look at in the pod of a workload. */
interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly automountServiceAccountToken?: boolean;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly securityContext: { readonly windowsOptions: { readonly hostProcess?: boolean; readonly runAsUserName: string } };
  readonly volumes?: readonly { readonly name: string; readonly hostPath: { readonly path: string; readonly type?: string } }[];
  readonly containers: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
}

const folders = ["windows/hostprocess", "windows/client-server"];
const filesOf = (folder: string) => manifestFiles(join(manifestsFolder, folder)).map((name) => `${folder}/${name}`);
const files = folders.flatMap(filesOf);
const hostProcesses = ["windows/hostprocess/node.yaml", "windows/client-server/csi-proxy.yaml"];
const clientNode = "windows/client-server/node.yaml";
const podOf = (file: string) => workloadIn(file).spec.template.spec as unknown as PodSpec;

describe("the API server", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    // A dry run stores nothing, and what lies in a namespace needs it.
    for (const namespace of files.flatMap(manifestsIn).filter(({ kind }) => kind === "Namespace"))
      await cluster.admin.create(Namespace, { ...namespace }).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const rest = files.flatMap((file) =>
    manifestsIn(file).flatMap((manifest) => (manifest.kind === "Namespace" ? [] : [[file, manifest] as const])),
  );
  test.each(rest.map(([file, manifest]) => [file, manifest.kind, manifest.metadata.name, manifest] as const))(
    "takes of %s the %s %s",
    async (_file, kind, name, manifest) => {
      expect(await dryRun(cluster, manifest)).toMatchObject({ kind, metadata: { name } });
    },
  );

  test("notices a misspelt field", async () => {
    const workload = workloadIn(clientNode);
    const misspelt = { ...workload, spec: { ...workload.spec, updateStratgy: {} } };
    await expect(dryRun(cluster, misspelt)).rejects.toThrow(/unknown field "spec.updateStratgy"/);
  });

  // The embedded server has no admission of Pod Security.
  test.skipIf(process.env.TESTCLUSTER !== "real").each(hostProcesses)(
    "takes the pod of %s in its namespace, and in no baseline one",
    async (file) => {
      const { metadata, spec } = workloadIn(file);
      const baseline = {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "baseline", labels: { "pod-security.kubernetes.io/enforce": "baseline" } },
      };
      await cluster.admin.create(Namespace, baseline).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
      const podIn = (namespace: string | undefined): Manifest =>
        ({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { namespace, name: "pod" },
          spec: { ...spec.template.spec, serviceAccountName: "default" },
        }) as never;
      expect(await dryRun(cluster, podIn(metadata.namespace))).toMatchObject({ kind: "Pod" });
      await expect(dryRun(cluster, podIn("baseline"))).rejects.toThrow(/violates PodSecurity "baseline.*hostProcess/s);
    },
  );
});

test.each(folders)("the kustomization of %s applies every file", (folder) => {
  const kustomization = parse(readFileSync(join(manifestsFolder, folder, "kustomization.yaml"), "utf8"));
  expect(kustomization.resources.toSorted()).toEqual([...manifestFiles(join(manifestsFolder, folder))].toSorted());
});

test.each(["windows/hostprocess/node.yaml", clientNode])("csi-sidecars accepts its arguments in %s without warnings", (file) => {
  const { args } = containerIn(file, "csi-sidecars");
  const command = readCommandLine({ form: "all-in-one", name: "csi-sidecars", components, separate }, args);
  if (command.asks !== "run") throw new Error(JSON.stringify(command));
  expect({ problems: command.settings.problems, warnings: command.settings.warnings }).toEqual({ problems: [], warnings: [] });
});

test.each(hostProcesses)("the pod of %s is one of HostProcess containers and names only paths of the node", (file) => {
  const pod = podOf(file);
  expect(pod).toMatchObject({
    hostNetwork: true,
    automountServiceAccountToken: false,
    nodeSelector: { "kubernetes.io/os": "windows" },
    securityContext: { windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" } },
  });
  expect(pod.volumes).toBeUndefined();
  const paths = pod.containers.flatMap(({ args }) => args).filter((arg) => /-(path|address|endpoint)=(?!0\.0\.0\.0)/.test(arg));
  expect(paths.filter((arg) => !/=(unix:\/\/)?C:\\/.test(arg))).toEqual([]);
});

test("driver, registrar and liveness probe mean the same socket, at the driver's own name", () => {
  const [driver = [], sidecars = []] = podOf("windows/hostprocess/node.yaml").containers.map(({ args }) => args);
  const name = driver.find((arg) => arg.startsWith("--driver-name="))?.split("=")[1];
  const socket = `C:\\var\\lib\\kubelet\\plugins\\${name}\\csi.sock`;
  expect(driver).toContain(`--endpoint=unix://${socket}`);
  expect(sidecars).toContain(`--csi-address=unix://${socket}`);
  expect(sidecars).toContain(`--kubelet-registration-path=${socket}`);
  expect(manifestsIn("windows/hostprocess/csidriver.yaml").map(({ metadata }) => metadata.name)).toEqual([String(name)]);
});

test("the driver mounts pipes that csi-proxy serves, and no others are served", () => {
  const command = readCommandLine(csiProxy, containerIn("windows/client-server/csi-proxy.yaml", "csi-proxy").args);
  if (command.asks !== "run") throw new Error(JSON.stringify(command));
  expect({ problems: command.settings.problems, warnings: command.settings.warnings }).toEqual({ problems: [], warnings: [] });
  const pod = podOf(clientNode);
  const pipes = (pod.volumes ?? []).filter(({ hostPath }) => hostPath.path.startsWith("\\\\.\\pipe\\"));
  const mounted = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
  for (const { name, hostPath } of pipes) {
    expect(hostPath.type).toBe("");
    expect(mounted.filter((mount) => mount.name === name).map(({ mountPath }) => mountPath)).toEqual([hostPath.path]);
  }
  const groups = pipes.map(({ hostPath }) => /^\\\\\.\\pipe\\csi-proxy-([a-z]+)-v1$/.exec(hostPath.path)?.[1] ?? hostPath.path);
  expect(command.settings.of(csiProxyFlags).groups.toSorted()).toEqual(groups.toSorted());
});
