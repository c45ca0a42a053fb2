import { bytesOf } from "@csi-sidecars/base";
import {
  PersistentVolume,
  PersistentVolumeClaim,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { until } from "../../e2e/testing/until.ts";
import type { World } from "../../e2e/testing/world.ts";
import { requestTimeout } from "../claims.ts";
import type { Pods } from "./pods.ts";
import { expansionOf, tierOf } from "./storage.ts";
import type { ClaimUser } from "./users.ts";

/**
 * Waits until every claim has what it requests, and claim, PersistentVolume and driver agree on size and class. Meanwhile pods are run
 * for claims whose file system is to be expanded, and ended for those whose volume cannot be expanded in use. Returns what differs after
 * the limit.
 */
export async function unsettled(world: World, users: readonly ClaimUser[], pods: Pods, limitMs: number): Promise<readonly string[]> {
  let found: readonly string[] = ["nothing was read"];
  const look = async () => {
    const { claims, volumes } = await read(world);
    found = users.flatMap(({ name, volume }) => differences(world, claims.get(name), volumes.get(volume)));
    await Promise.all(users.map((user) => placePod(world, pods, user, claims.get(user.name))));
    return found.length === 0;
  };
  await until("everything settled", () => look().catch(() => false), limitMs).catch(() => {});
  return found;
}

async function read({ cluster: { admin } }: World) {
  const byName = <T extends { metadata?: { name?: string } }>(items: readonly T[]) =>
    new Map(items.map((item) => [item.metadata?.name ?? "", item]));
  const claims = (await admin.list(PersistentVolumeClaim, requestTimeout)).items;
  const volumes = (await admin.list(PersistentVolume, requestTimeout)).items;
  return { claims: byName<V1PersistentVolumeClaim>(claims), volumes: byName<V1PersistentVolume>(volumes) };
}

async function placePod({ driver }: World, pods: Pods, { name, volume }: ClaimUser, claim: V1PersistentVolumeClaim | undefined) {
  const isNodesTurn = claim?.status?.allocatedResourceStatuses?.storage?.startsWith("NodeResize");
  if (isNodesTurn && claim?.status?.allocatedResourceStatuses?.storage !== "NodeResizeInfeasible") await pods.run(name);
  else if (expansionOf(driver, volume) === "offline") await pods.end(name);
}

/** What claim, PersistentVolume and driver do not agree on, and what is left of the way there. */
function differences(
  { driver }: World,
  claim: V1PersistentVolumeClaim | undefined,
  volume: V1PersistentVolume | undefined,
): readonly string[] {
  const name = volume?.metadata?.name ?? "";
  const stored = driver.volumes.get(name);
  if (!claim || !volume || !stored) return [`${claim?.metadata?.name} or ${name} is missing`];
  const { spec = {}, status = {} } = claim;
  const capacity = bytesOf(status.capacity?.storage);
  const { volumeAttributesClassName: wanted } = spec as { volumeAttributesClassName?: string };
  const states = {
    "has what it requests": capacity >= bytesOf(spec.resources?.requests?.storage),
    "has the volume's capacity": capacity === bytesOf(volume.spec?.capacity?.storage),
    "has the driver's size": capacity === stored.capacityBytes,
    "has the size of the file system": expansionOf(driver, name) === "without node" || capacity === stored.nodeBytes,
    "has its class": status.currentVolumeAttributesClassName === wanted,
    "has the volume's class": volume.spec?.volumeAttributesClassName === wanted,
    "has the driver's parameters": tierOf(driver, name) === wanted,
    "has no conditions": (status.conditions ?? []).length === 0,
    "has no resize status": status.allocatedResourceStatuses === undefined,
    "has no modify status": status.modifyVolumeStatus === undefined,
    "has no noted size": volume.metadata?.annotations?.[wellKnownAnnotation.preResizeCapacity] === undefined,
  };
  const missing = Object.entries(states).flatMap(([state, holds]) => (holds ? [] : [state]));
  if (missing.length === 0) return [];
  const seen = { request: spec.resources?.requests?.storage, class: wanted, ...status };
  const truth = `driver ${stored.capacityBytes} ${stored.nodeBytes} ${tierOf(driver, name)}, volume ${JSON.stringify(volume.spec?.capacity)}`;
  return [`${claim.metadata?.name}, not true: ${missing.join(", ")}: ${JSON.stringify(seen)}; ${truth}`];
}
