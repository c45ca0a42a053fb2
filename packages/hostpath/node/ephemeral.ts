import type { NodePublishVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, commitWith } from "../backend.ts";
import { reserveSpace } from "../controller/capacity.ts";
import { accessTypeOf } from "../controller/volume-capabilities.ts";
import { refuse } from "../refuse.ts";
import type { Settings } from "../settings.ts";
import { type Publication, unusedVolume, type VolumeRecord } from "../state/records.ts";

const contextKey = "csi.storage.k8s.io/ephemeral";
const size = 100n * 1024n * 1024n;

/** Whether a volume lives as long as the pod it is published to. */
export function isEphemeral({ ephemeral }: Settings, { volumeContext }: NodePublishVolumeRequest): boolean {
  return volumeContext[contextKey] === "true" || (ephemeral && volumeContext[contextKey] === undefined);
}

/** What an ephemeral volume is called. */
export const ephemeralName = (id: string): string => `ephemeral-${id}`;

/** Makes the volume of an ephemeral publication, with the id that it came with. It is never without its publication, by which it is deleted. */
export async function createEphemeral(
  backend: Backend,
  request: NodePublishVolumeRequest,
  publication: Publication,
): Promise<VolumeRecord> {
  const { volumeId: id, volumeContext, volumeCapability } = request;
  if (!backend.data.isVolumeId(id)) refuse("InvalidArgument", `volume_id ${JSON.stringify(id)} cannot be the name of a directory here`);
  if (volumeCapability && accessTypeOf([volumeCapability]) === "block")
    refuse("InvalidArgument", "ephemeral volumes cannot be block volumes");
  const name = ephemeralName(id);
  if (backend.state.volumes.named(name)) refuse("AlreadyExists", `a volume with the name ${name} already exists`);
  const reservation = reserveSpace(backend, volumeContext.kind, size);
  try {
    const volume: VolumeRecord = {
      ...unusedVolume,
      id,
      name,
      size,
      path: backend.data.volumePath(id),
      accessType: "mount",
      ephemeral: true,
      nodeId: backend.settings.nodeId,
      published: [publication],
      kind: reservation.kind,
    };
    await commitWith(backend, [await backend.data.createVolume(volume, { kind: "empty" })], [{ put: "volume", record: volume }]);
    return volume;
  } finally {
    reservation.release();
  }
}
