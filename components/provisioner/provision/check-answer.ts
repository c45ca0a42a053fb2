import type { CreateVolumeResponse, Topology } from "@csi-sidecars/csi";
import type { Preparation } from "./preparation.ts";

/** A volume that the driver made and that can be used. */
export interface CreatedVolume {
  readonly id: string;
  readonly bytes: bigint;
  readonly context: Readonly<Record<string, string>>;
  readonly accessibleTopology: readonly Topology[];
}

export type AnswerCheck =
  | { readonly kind: "good"; readonly volume: CreatedVolume }
  /** `volumeId`: the volume that is there all the same, and must not stay. */
  | { readonly kind: "bad"; readonly error: string; readonly volumeId: string | undefined };

/** Whether the driver made what it was asked for. A capacity of 0 means that it did not say: then it is what was asked. */
export function checkAnswer({ volume }: CreateVolumeResponse, preparation: Preparation): AnswerCheck {
  const { request, mustEchoSource } = preparation;
  if (!volume) return { kind: "bad", error: "the driver's answer to CreateVolume has no volume", volumeId: undefined };
  if (volume.volumeId === "") return { kind: "bad", error: "the driver's answer to CreateVolume has no volume id", volumeId: undefined };
  const requested = request.capacityRange?.requiredBytes ?? 0n;
  const bytes = volume.capacityBytes === 0n ? requested : volume.capacityBytes;
  const bad = (error: string) => ({ kind: "bad", error, volumeId: volume.volumeId }) as const;
  if (bytes < requested) return bad(`created volume capacity ${bytes} less than requested capacity ${requested}`);
  if (mustEchoSource && !volume.contentSource?.type) return bad("volume content source missing");
  const { volumeId: id, volumeContext: context, accessibleTopology } = volume;
  return { kind: "good", volume: { id, bytes, context, accessibleTopology } };
}
