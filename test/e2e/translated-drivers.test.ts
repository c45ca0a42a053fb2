import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  isAlreadyExists,
  isNotFound,
  Lease,
  mergePatch,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type Capabilities, installDefinitions, presets } from "@csi-sidecars/testcluster";
import { findPeers } from "../../bench/shared/programs.ts";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { translate } from "../diagnose/translate/testing/translate.ts";
import { addNode, attach, attached } from "./testing/objects.ts";
import { type PodContainer, podIn, rolesIn, wordsFor } from "./testing/pod-processes.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const namespace = "kube-system";
const elected = components.filter(({ leadership }) => leadership === "required");
const attachable: Capabilities = {
  ...presets.attachable,
  controller: ["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME", "EXPAND_VOLUME", "CREATE_DELETE_SNAPSHOT"],
};
const shared: Capabilities = { ...attachable, controller: ["CREATE_DELETE_VOLUME", "EXPAND_VOLUME", "CREATE_DELETE_SNAPSHOT"] };

interface Driver {
  readonly folder: string;
  readonly name: string;
  readonly capabilities: Capabilities;
  /** What the roles of the driver do not allow, and is optional. */
  readonly withheld?: string;
}

const drivers: readonly Driver[] = [
  { folder: "aws-ebs", name: "ebs.csi.aws.com", capabilities: attachable },
  { folder: "azure-disk", name: "disk.csi.azure.com", capabilities: attachable, withheld: "watch volumesnapshots" },
  { folder: "nfs", name: "nfs.csi.k8s.io", capabilities: shared },
  {
    folder: "smb",
    name: "smb.csi.k8s.io",
    capabilities: { ...shared, controller: ["CREATE_DELETE_VOLUME", "EXPAND_VOLUME"] },
  },
  { folder: "hostpath", name: "hostpath.csi.k8s.io", capabilities: attachable },
];

const before = ({ folder }: Driver) => readFileSync(join(import.meta.dirname, "../../deploy/drivers", folder, "before.yaml"), "utf8");

/** What was done to the driver and to the cluster, without what is different in every run. */
interface Trace {
  readonly calls: readonly string[];
  /** The writes to each kind, in their order; the order of writes to different kinds is that of different processes. */
  readonly writes: Readonly<Record<string, readonly string[]>>;
}

/** Provisions, attaches, expands, takes a snapshot and deletes everything, with the sidecars of a manifest as processes. */
async function live(driver: Driver, yaml: string, programOf: (container: PodContainer) => string | undefined): Promise<Trace> {
  const pod = podIn(yaml);
  await using world = await startE2eWorld({
    cluster: { storageControllers: true, nodes: false },
    driver: { name: driver.name, capabilities: driver.capabilities },
  });
  const { admin } = world.cluster;
  await admin.create(Namespace, { metadata: { name: namespace } }).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await installDefinitions(admin, snapshotDefinitions);
  await addNode(world.cluster, "node", driver.name);
  const leases = [`csi-sidecars-${driver.name}`, ...elected.flatMap(({ legacyLease }) => legacyLease?.(driver.name) ?? [])];
  const isTogether = pod.containers.some(({ name }) => name === "csi-sidecars");
  // Who creates a lease waits for its duration before it acts.
  for (const name of isTogether ? leases.slice(0, 1) : leases.slice(1))
    await admin.create(Lease, { metadata: { namespace, name: name.replaceAll(".", "-") } });
  const { name: user, kubeconfig } = await world.account(() => rolesIn(yaml));
  for (const container of pod.containers) {
    const program = programOf(container);
    if (program === undefined) continue;
    const options = { program, env: { POD_NAMESPACE: namespace } };
    world.start(container.name, [...wordsFor(container), `--kubeconfig=${kubeconfig}`], options);
  }
  await useVolume(world, driver);
  const requests = await world.cluster.requests({ user });
  const refused = requests.filter(({ code }) => code === 403).map(({ verb, resource }) => `${verb} ${resource}`);
  expect(refused.filter((each) => each !== driver.withheld)).toEqual([]);
  const written = requests.filter(
    ({ verb, resource, code }) =>
      /^(create|update|patch|delete)$/.test(verb) && code < 300 && !/^(events|leases|selfsubject.*)$/.test(resource),
  );
  const writes = Map.groupBy(written, ({ resource, subresource }) => [resource, subresource].filter(Boolean).join("/"));
  const reading = /^(Probe|Get|ControllerGet|GroupControllerGet|NodeGet)/;
  return {
    calls: world.driver
      .calls()
      .filter(({ method }) => !reading.test(method))
      .map(({ method, request }) => anonymous(`${method} ${stable(request)}`)),
    writes: Object.fromEntries(
      [...writes].sort(([a], [b]) => a.localeCompare(b)).map(([kind, all]) => [kind, all.map(({ verb }) => verb)]),
    ),
  };
}

const stable = (request: object) =>
  JSON.stringify(request, (_, value) => (typeof value === "bigint" ? String(value) : value instanceof Map ? [...value] : value));
const anonymous = (text: string) =>
  text
    .replaceAll(/"\d+-\d+-[a-z0-9.]+"/g, '"<provisioner>"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>");

async function useVolume({ cluster, driver: { settings } }: World, driver: Driver): Promise<void> {
  const { admin } = cluster;
  const claim = { namespace: "default", name: "data" };
  const can = (rpc: string) => settings.capabilities.controller.some((each) => each === rpc);
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver.name, allowVolumeExpansion: true });
  await admin.create(PersistentVolumeClaim, {
    metadata: claim,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
  });
  const volume = await until("the claim is bound", async () => {
    const { spec, status } = await admin.get(PersistentVolumeClaim, claim);
    return status?.phase === "Bound" && spec?.volumeName;
  });
  if (can("PUBLISH_UNPUBLISH_VOLUME")) {
    await attach(cluster, volume, "node", driver.name);
    await attached(cluster, volume);
  }
  await admin.patch(PersistentVolumeClaim, claim, mergePatch({ spec: { resources: { requests: { storage: "2Gi" } } } }));
  await until("the claim has grown", async () => (await admin.get(PersistentVolumeClaim, claim)).status?.capacity?.storage === "2Gi");
  if (can("CREATE_DELETE_SNAPSHOT"))
    await useSnapshot(admin, driver, (await admin.get(PersistentVolume, { name: volume })).spec?.csi?.volumeHandle ?? "");
  if (can("PUBLISH_UNPUBLISH_VOLUME")) {
    await admin.delete(VolumeAttachment, { name: `va-${volume}` });
    await until("the volume is detached", () => admin.get(VolumeAttachment, { name: `va-${volume}` }).then(() => false, isNotFound));
  }
  await admin.delete(PersistentVolumeClaim, claim);
  await until("the volume is gone", () => admin.get(PersistentVolume, { name: volume }).then(() => false, isNotFound));
}

/** As snapshot-controller asks for one, and deletes it. */
async function useSnapshot(admin: World["cluster"]["admin"], { name: driver }: Driver, volumeHandle: string): Promise<void> {
  await admin.create(VolumeSnapshotClass, { metadata: { name: "fast" }, driver, deletionPolicy: "Delete" });
  await admin.create(VolumeSnapshotContent, {
    metadata: { name: "snapcontent-one", finalizers: ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"] },
    spec: {
      driver,
      deletionPolicy: "Delete",
      source: { volumeHandle },
      volumeSnapshotClassName: "fast",
      volumeSnapshotRef: {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        namespace: "default",
        name: "one",
        uid: "5b0c5a2e-1111-4222-8333-444444444444",
      },
    },
  });
  const content = { name: "snapcontent-one" };
  await until("the snapshot", async () => (await admin.get(VolumeSnapshotContent, content)).status?.readyToUse);
  await admin.patch(
    VolumeSnapshotContent,
    content,
    mergePatch({ metadata: { annotations: { "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted": "yes" } } }),
  );
  await admin.delete(VolumeSnapshotContent, content);
  await until("the snapshot is gone", () => admin.get(VolumeSnapshotContent, content).then(() => false, isNotFound));
}

const individual = ({ component }: PodContainer) => (component?.leadership === "required" ? component.standalone : undefined);

/** The provisioner sets the attacher's finalizer on a new volume where both are in one process: that saves the attacher a request. */
function withoutSavedRequest({ calls, writes }: Trace, driver: Driver): Trace {
  if (driver.capabilities !== attachable) return { calls, writes };
  const { persistentvolumes: volumes = [], ...others } = writes;
  return { calls, writes: { ...others, persistentvolumes: volumes.toSpliced(volumes.indexOf("patch"), 1) } };
}

const inOrder = ({ calls, writes }: Trace) => ({
  calls,
  writes: Object.fromEntries(Object.entries(writes).sort(([a], [b]) => a.localeCompare(b))),
});

describe.each(drivers)("the manifests of $folder", (driver) => {
  test("do the same after the translation: the calls to the driver, and the writes to the cluster", async () => {
    const { stdout, exitCode } = translate(before(driver));
    expect(exitCode).toBe(0);
    const apart = await live(driver, before(driver), individual);
    const together = await live(driver, stdout, ({ name }) => (name === "csi-sidecars" ? name : undefined));
    expect(apart.calls.map((call) => call.split(" ")[0])).toContain("DeleteVolume");
    expect(inOrder(together)).toEqual(inOrder(withoutSavedRequest(apart, driver)));
  }, 120_000);

  const names = elected.map(({ standalone }) => standalone);
  const { missing } = findPeers(
    names.filter((name) => name !== "csi-external-health-monitor-controller"),
    process.env,
  );
  test.skipIf(missing.length > 0)(
    `do the same as with upstream's sidecars${missing.length > 0 ? ` (skipped: set PEERS to a folder with ${missing.join(", ")})` : ""}`,
    async () => {
      const upstream = (container: PodContainer) => {
        const program = individual(container);
        const path = program === undefined ? "" : join(process.env.PEERS ?? "", program);
        return existsSync(path) ? path : undefined;
      };
      const theirs = await live(driver, before(driver), upstream);
      const together = await live(driver, translate(before(driver)).stdout, ({ name }) => (name === "csi-sidecars" ? name : undefined));
      expect(together.calls).toEqual(theirs.calls);
    },
    120_000,
  );
});
