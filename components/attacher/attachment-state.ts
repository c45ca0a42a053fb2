import { isDeepStrictEqual } from "node:util";
import type { ControllerPublishVolumeRequest } from "@csi-sidecars/csi";
import type { Attachment } from "./fields.ts";
import { persistentVolumeName, type ResolvedAttachment } from "./resolved-attachment.ts";

/** What the driver answered to ControllerPublishVolume. */
export interface Publication {
  readonly request: Omit<ControllerPublishVolumeRequest, "secrets">;
  readonly publishContext: Readonly<Record<string, string>>;
}

/** What is known about attachments beside the caches. All of it may be lost with the process. */
export class AttachmentState {
  readonly #forced = new Set<string>();
  readonly #unsaved = new Map<string, Publication & { readonly uid: string }>();
  readonly #detached = new Map<string, string>();
  readonly #orphans = new Map<string, ResolvedAttachment>();
  readonly #reconciling = new Set<string>();
  readonly #recordings = new Set<Set<string>>();

  /** The driver's list contradicts the attachment: it is reconciled whatever its status says, until a call for it succeeds. */
  forceSync(name: string): void {
    this.#forced.add(name);
  }

  isForced(name: string): boolean {
    return this.#forced.has(name);
  }

  /** The driver did what the attachment asks for. */
  synced(name: string): void {
    this.#forced.delete(name);
  }

  /** The driver has published the volume, and the attachment does not say so yet: saving that is retried without another call. */
  publicationUnsaved({ metadata: { name, uid } }: Attachment, publication: Publication): void {
    this.#unsaved.set(name, { ...publication, uid });
  }

  /** What the driver answered to the same request for the very attachment; `undefined` if it has to be called. */
  unsavedPublication({ metadata: { name, uid } }: Attachment, request: Publication["request"]): Publication["publishContext"] | undefined {
    const found = this.#unsaved.get(name);
    if (found?.uid !== uid || this.isForced(name) || !isDeepStrictEqual(found.request, request)) return undefined;
    return found.publishContext;
  }

  /** The attachment says that it is attached, or is not to be attached any more. */
  publicationSaved(name: string): void {
    this.#unsaved.delete(name);
  }

  /** Its volume is detached, but the finalizer or the status does not say so yet. */
  detached({ metadata: { name, uid } }: Attachment): void {
    this.#detached.set(name, uid);
  }

  isDetached({ metadata: { name, uid } }: Attachment): boolean {
    return this.#detached.get(name) === uid;
  }

  /** Its status says that it is detached. */
  statusSaved(name: string): void {
    this.#detached.delete(name);
  }

  /** The object is gone. What is known of an orphan stays until its volume is detached. */
  deleted(name: string): void {
    this.#forced.delete(name);
    this.#unsaved.delete(name);
    this.#detached.delete(name);
  }

  /** The object is gone, but its volume may be attached. */
  orphaned(orphan: ResolvedAttachment): void {
    this.#orphans.set(orphan.attachment.metadata.name, orphan);
  }

  orphan(name: string): ResolvedAttachment | undefined {
    return this.#orphans.get(name);
  }

  orphanDetached(name: string): void {
    this.#orphans.delete(name);
  }

  /** How many orphans have the volume. */
  orphansOfVolume(volume: string): number {
    return [...this.#orphans.values()].filter(({ attachment }) => persistentVolumeName(attachment) === volume).length;
  }

  /** Remembers while the work runs that the attachment is being reconciled. */
  async whileReconciling<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#reconciling.add(name);
    for (const recording of this.#recordings) recording.add(name);
    try {
      return await work();
    } finally {
      this.#reconciling.delete(name);
    }
  }

  /** The attachments that are reconciled at any time from now until `stop`. */
  recordReconciled(): { readonly names: ReadonlySet<string>; stop(): void } {
    const names = new Set(this.#reconciling);
    this.#recordings.add(names);
    return { names, stop: () => void this.#recordings.delete(names) };
  }
}
