import type { Clock } from "@csi-sidecars/base";
import type { Driver } from "@csi-sidecars/host";
import {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { fewAtATime } from "../check/asked.ts";
import { type Looker, valueIn } from "../why/look.ts";
import type { AuditFacts } from "./facts.ts";
import { listStorage } from "./list-storage.ts";

export interface AuditContext {
  readonly look: Looker;
  readonly driver: Pick<Driver, "name" | "client">;
  /** Whether the driver says where volumes are published. */
  readonly publishedNodes: boolean;
  readonly clock: Clock;
  readonly apartMs: number;
  readonly timeoutMs: number;
}

const atATime = 8;

/** Looks at the storage, waits, reads the cluster, looks at the storage again. `undefined`: PersistentVolumes could not be read. */
export async function gatherAudit(context: AuditContext): Promise<AuditFacts | undefined> {
  const { look, driver, publishedNodes, clock, apartMs, timeoutMs } = context;
  const before = await listStorage(driver.client, timeoutMs);
  if (apartMs > 0) await clock.sleep(apartMs);
  const [volumes, claims, attachments, csiNodes] = await Promise.all([
    look.list(PersistentVolume),
    look.list(PersistentVolumeClaim),
    publishedNodes ? look.list(VolumeAttachment) : undefined,
    publishedNodes ? look.list(CSINode) : undefined,
  ]);
  const all = valueIn(volumes);
  if (!all) return undefined;
  const after = await listStorage(driver.client, timeoutMs);
  const isSuspect = ({ spec }: V1PersistentVolume) =>
    spec?.csi?.driver === driver.name && !before.has(spec.csi.volumeHandle) && !after.has(spec.csi.volumeHandle);
  const gone = new Set(await goneSince(look, all.filter(isSuspect)));
  const pendingClaims = valueIn(claims)?.filter((claim) => mayBeServed(claim, driver.name));
  const attached = valueIn(attachments);
  const nodes = valueIn(csiNodes);
  return {
    ...{ driver: driver.name, apartMs, before, after, now: clock.now() },
    volumes: all.filter((volume) => !gone.has(volume)),
    ...(pendingClaims && { pendingClaims }),
    ...(attached && { attachments: attached }),
    ...(nodes && { csiNodes: nodes }),
  };
}

/** Whether the driver may be making a volume for the claim. One that lost its volume, or names one, gets no other. */
function mayBeServed({ metadata, spec, status }: V1PersistentVolumeClaim, driver: string): boolean {
  if ((status?.phase ?? "Pending") !== "Pending" || spec?.volumeName) return false;
  const {
    [wellKnownAnnotation.provisioner]: stable,
    [wellKnownAnnotation.betaProvisioner]: beta,
    [wellKnownAnnotation.migratedTo]: migratedTo,
  } = metadata?.annotations ?? {};
  const provisioner = migratedTo ?? stable ?? beta;
  return provisioner === undefined || provisioner === driver;
}

/** A volume goes in the storage before its object does: those that went meanwhile are no differences. */
async function goneSince(look: Looker, suspects: readonly V1PersistentVolume[]): Promise<readonly V1PersistentVolume[]> {
  const looks = await fewAtATime(suspects, atATime, ({ metadata }) => look.get(PersistentVolume, { name: metadata?.name ?? "" }));
  return suspects.filter((_, at) => looks[at]?.state === "missing");
}
