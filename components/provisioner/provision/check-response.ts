import type { CreateVolumeResponse, Topology, Volume } from "@csi-sidecars/csi";
import { messages } from "../messages.ts";
import type { ProvisionRequest } from "./provision-request.ts";

/** A volume that the driver created and that can be used. */
export interface CreatedVolume {
  readonly id: string;
  readonly bytes: bigint;
  readonly context: Readonly<Record<string, string>>;
  readonly accessibleTopology: readonly Topology[];
}

export type ResponseCheck =
  | { readonly kind: "good"; readonly volume: CreatedVolume }
  /** `volumeId`: the volume that exists all the same, and has to be deleted; `undefined` where the driver does not say which it is. */
  | { readonly kind: "bad"; readonly error: string; readonly volumeId: string | undefined };

/**
 * Whether the driver created what it was asked for. A capacity of 0 means that it did not say: then it is the requested one.
 * `isOnSomeNode` tells whether any node has a topology key: a volume that is placed by other keys could never be used.
 */
export function checkResponse(
  { volume }: CreateVolumeResponse,
  request: ProvisionRequest,
  isOnSomeNode: (topologyKey: string) => boolean,
): ResponseCheck {
  if (!volume) return { kind: "bad", error: messages.answerWithout("volume"), volumeId: undefined };
  if (volume.volumeId === "") return { kind: "bad", error: messages.answerWithout("volume id"), volumeId: undefined };
  const requested = request.createVolume.capacityRange?.requiredBytes ?? 0n;
  const bytes = volume.capacityBytes === 0n ? requested : volume.capacityBytes;
  const bad = (error: string) => ({ kind: "bad", error, volumeId: volume.volumeId }) as const;
  if (bytes < requested) return bad(messages.createdTooSmall(bytes, requested));
  const source = sourceProblem(volume, request);
  if (source !== undefined) return bad(source);
  const { volumeId: id, volumeContext: context, accessibleTopology } = volume;
  const unknown = unknownKeys(accessibleTopology, request, isOnSomeNode);
  if (unknown.length > 0) return bad(messages.unknownTopologyKeys(unknown.join(", ")));
  return { kind: "good", volume: { id, bytes, context, accessibleTopology } };
}

/** Only the kind of the source is compared: some drivers name it by another spelling of its id than the one they were given. */
function sourceProblem({ contentSource }: Volume, { createVolume, mustEchoSource }: ProvisionRequest): string | undefined {
  const named = contentSource?.type?.$case;
  if (named === undefined) return mustEchoSource ? messages.contentSourceMissing() : undefined;
  const requested = createVolume.volumeContentSource?.type?.$case;
  if (requested === undefined || requested === named) return undefined;
  return messages.contentSourceDiffers(named, requested);
}

function unknownKeys(
  accessible: readonly Topology[],
  { createVolume }: ProvisionRequest,
  isOnSomeNode: (topologyKey: string) => boolean,
): readonly string[] {
  const { requisite = [], preferred = [] } = createVolume.accessibilityRequirements ?? {};
  const requested = keysOf([...requisite, ...preferred]);
  return [...keysOf(accessible)].filter((key) => !requested.has(key) && !isOnSomeNode(key)).sort();
}

function keysOf(topologies: readonly Topology[]): ReadonlySet<string> {
  return new Set(topologies.flatMap(({ segments }) => Object.keys(segments)));
}
