import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord, ownValue } from "@csi-sidecars/base";
import { readSavedFile, writeAtomically } from "../state/saved-file.ts";

/** A volume that is mounted for a pod, or that an attempt to do so may have left mounted. */
export interface MountRecord {
  /** `namespace/name`. */
  readonly pod: string;
  readonly podUid: string;
  readonly volumeName: string;
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  /** NodePublishVolume has succeeded. */
  readonly published: boolean;
}

/** What is mounted, in a file: a kubelet knows after its restart what to unmount, too. Records are by the path where a pod has the volume. */
export class MountRecords {
  readonly #file: string;
  readonly #records: Map<string, MountRecord>;

  constructor(file: string) {
    this.#file = file;
    this.#records = new Map((readSavedFile(file, areRecords) ?? []).map((record) => [record.targetPath, record]));
  }

  get all(): readonly MountRecord[] {
    return [...this.#records.values()];
  }

  at(targetPath: string): MountRecord | undefined {
    return this.#records.get(targetPath);
  }

  /** Of one pod, by its key or its uid. */
  of(pod: string): readonly MountRecord[] {
    return this.all.filter((record) => record.pod === pod || record.podUid === pod);
  }

  put(record: MountRecord): void {
    this.#records.set(record.targetPath, record);
    this.#save();
  }

  remove({ targetPath }: MountRecord): void {
    this.#records.delete(targetPath);
    this.#save();
  }

  #save(): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeAtomically(this.#file, JSON.stringify(this.all));
  }
}

function areRecords(value: unknown): value is readonly MountRecord[] {
  const texts = ["pod", "podUid", "volumeName", "volumeId", "stagingTargetPath", "targetPath"];
  const isOne = (record: unknown) => isRecord(record) && texts.every((field) => typeof ownValue(record, field) === "string");
  return Array.isArray(value) && value.every(isOne);
}
