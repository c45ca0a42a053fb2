import type { Component, SidecarProgram } from "@csi-sidecars/host";
import { isMigrationIdentity, sharedLeaseName } from "@csi-sidecars/host/sub-commands";
import { keyOf, Lease, Pod, recordOf, sanitizeName, type V1Lease, type V1Pod } from "@csi-sidecars/kube";
import { type ClusterReader, foundIn } from "../access/read-cluster.ts";
import { imageParts } from "../image-parts.ts";
import { age } from "../text.ts";
import type { Row } from "./row.ts";

/** What a process runs, and where. */
interface Running {
  readonly program: Pick<SidecarProgram, "name" | "form">;
  readonly enabled: readonly Component[];
  /** The name of its driver, where it is known. */
  readonly driver?: string;
  readonly leaseNamespace: string;
  /** `--leader-election-lease-name`, if given. */
  readonly leaseName?: string;
  readonly podNamespace: string;
  readonly now: number;
}

/** Who else seems to do the work of the enabled components. What may not be read is among the notes of `cluster`: a service account seldom may. */
export async function otherInstances(cluster: ClusterReader, running: Running): Promise<readonly Row[]> {
  const { enabled, program } = running;
  const clusterWide = enabled.filter(({ driver }) => driver === "none");
  const replaced = program.form === "all-in-one" ? enabled.filter(({ driver }) => driver !== "none") : [];
  const rows = await Promise.all([
    ...clusterWide.map((component) => otherNamespaces(cluster, component, running)),
    ...replaced.map((component) => legacyLeader(cluster, component, running)),
    program.form === "all-in-one" ? legacyContainers(cluster, running) : [],
  ]);
  return rows.flat();
}

/** A component that is one for all drivers: its leaders in different namespaces do not know of each other. */
async function otherNamespaces(
  cluster: ClusterReader,
  { name: who, legacyLease }: Component,
  { leaseNamespace, now }: Running,
): Promise<readonly Row[]> {
  if (!legacyLease) return [];
  const leases = foundIn(await cluster.list(Lease, { fieldSelector: `metadata.name=${sanitizeName(legacyLease(""))}` })) ?? [];
  const others = leases.filter((lease) => lease.metadata?.namespace !== leaseNamespace && isHeld(lease, now));
  return others.map((lease) =>
    row(who, `runs in namespace ${lease.metadata?.namespace} too: ${holding(lease, now)}`, "run it in one namespace of the cluster only"),
  );
}

/** The lease of the sidecar that a component replaces. */
async function legacyLeader(cluster: ClusterReader, component: Component, running: Running): Promise<readonly Row[]> {
  const { driver, leaseNamespace: namespace, now, program } = running;
  const { name: who, standalone, legacyLease } = component;
  if (driver === undefined || !legacyLease) return [];
  const name = sanitizeName(legacyLease(driver));
  const ours = running.leaseName || sharedLeaseName(program.name, driver);
  const leases = name === ours ? [] : await leasesNamed(cluster, name, namespace);
  const held = leases.filter((lease) => isHeld(lease, now) && !isMigrationIdentity(recordOf(lease).holderIdentity, ours));
  return held.map((lease) => {
    const elsewhere =
      lease.metadata?.namespace === namespace ? "" : `, and is not waited for: the leases of this process are in ${namespace}`;
    const message = `${standalone} seems to run beside it: ${holding(lease, now)}${elsewhere}`;
    return row(who, message, `stop ${standalone}: docs/migration.md says how`);
  });
}

/** Those of all namespaces, where they may be listed: the check may run elsewhere than the process. */
async function leasesNamed(cluster: ClusterReader, name: string, namespace: string): Promise<readonly V1Lease[]> {
  const everywhere = await cluster.list(Lease, { fieldSelector: `metadata.name=${name}` });
  return foundIn(everywhere) ?? [foundIn(await cluster.get(Lease, { namespace, name }))].flatMap((lease) => lease ?? []);
}

/** A container of the sidecar that a component replaces, in a pod of this program. One without leader election has no lease. */
async function legacyContainers(cluster: ClusterReader, { program, enabled, podNamespace }: Running): Promise<readonly Row[]> {
  const pods = foundIn(await cluster.list(Pod, { namespace: podNamespace })) ?? [];
  const found = pods.filter(isRunning).flatMap((pod) => {
    const containers = pod.spec?.containers ?? [];
    if (!containers.some(({ name, image }) => name === program.name || imageName(image) === program.name)) return [];
    return containers.flatMap(({ name, image }) => {
      const component = enabled.find(({ standalone }) => standalone === imageName(image));
      return component ? [{ component, container: name, image, pod: keyOf(pod) }] : [];
    });
  });
  const once = new Map(found.map((each) => [JSON.stringify([each.component.name, each.container]), each]));
  return [...once.values()].map(({ component: { name }, container, image, pod }) =>
    row(
      name,
      `container ${container} of pod ${pod} does the same: image ${image}`,
      `remove that container, or leave this controller out with --controllers=*,-${name}`,
    ),
  );
}

function row(who: string, message: string, remedy: string): Row {
  return { severity: "warning", area: "controller", who, message, remedy };
}

/** Clocks differ. */
const toleranceMs = 5_000;

function isHeld(lease: V1Lease, now: number): boolean {
  const { holderIdentity, leaseDurationSeconds, renewTime = "" } = recordOf(lease);
  return holderIdentity !== "" && Date.parse(renewTime) + leaseDurationSeconds * 1000 + toleranceMs > now;
}

function holding(lease: V1Lease, now: number): string {
  const { holderIdentity, renewTime } = recordOf(lease);
  return `Lease ${keyOf(lease)} is held by ${holderIdentity}, renewed ${age(now, renewTime)} ago`;
}

const isRunning = ({ status }: V1Pod) => status?.phase !== "Succeeded" && status?.phase !== "Failed";

const imageName = (image = "") => imageParts(image).name;
