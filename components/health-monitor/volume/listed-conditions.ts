import { truncateMessage } from "@csi-sidecars/controller";
import type { ListVolumesResponse_Entry, PageReader, VolumeCondition } from "@csi-sidecars/csi";

type Handle = string;

/** What a list of volumes is compared with. */
export interface KnownVolumes {
  /** Whether the cluster has a volume of this handle: the storage may hold many that are none of its business. */
  has(handle: Handle): boolean;
  /** Whether the users of a volume with this handle were told that it is abnormal. */
  isReported(handle: Handle): boolean;
  /** The handles of volumes that should be in the list. */
  readonly expected?: Iterable<Handle>;
}

const healthy: VolumeCondition = { abnormal: false, message: "" };
/** As events have it at most. */
const maxMessageBytes = 16 * 1024;

/**
 * The conditions in a list of volumes, taken from its pages as they come. Only what there is to report is kept: abnormal volumes, and
 * healthy ones that were not before. Nothing is reported before the list is complete.
 */
export class ListedConditions implements PageReader {
  readonly #known: KnownVolumes;
  readonly #conditions = new Map<Handle, VolumeCondition>();
  readonly #unlisted: Set<Handle>;

  constructor(known: KnownVolumes) {
    this.#known = known;
    this.#unlisted = new Set(known.expected);
  }

  /** The conditions to report, by volume handle. */
  get conditions(): ReadonlyMap<Handle, VolumeCondition> {
    return this.#conditions;
  }

  /** Those of the expected volumes that were in no page. */
  get unlisted(): ReadonlySet<Handle> {
    return this.#unlisted;
  }

  /** Without a status or a condition, a volume counts as healthy. Of two entries about one volume the later one counts. */
  addPage(entries: readonly ListVolumesResponse_Entry[]): void {
    for (const { volume, status } of entries) if (volume) this.#add(volume.volumeId, status?.volumeCondition);
  }

  #add(handle: Handle, condition: VolumeCondition | undefined): void {
    this.#unlisted.delete(handle);
    this.#conditions.delete(handle);
    if (condition?.abnormal) {
      if (this.#known.has(handle))
        this.#conditions.set(handle, { abnormal: true, message: truncateMessage(condition.message, maxMessageBytes) });
    } else if (this.#known.isReported(handle)) {
      this.#conditions.set(handle, healthy);
    }
  }
}
