import type { Attachment } from "../fields.ts";
import type { NewAttachment } from "./plan-attachments.ts";

/**
 * The attachments that this controller manages: those that existed at its start and those it created. An attachment counts as created
 * or deleted from the request on, whatever the cache still shows.
 */
export class OwnAttachments {
  readonly #names = new Set<string>();
  readonly #unseen = new Map<string, NewAttachment>();
  readonly #deleting = new Set<string>();

  seen({ metadata }: Attachment, initial: boolean): void {
    if (initial) this.#names.add(metadata.name);
    this.#unseen.delete(metadata.name);
  }

  gone({ metadata }: Attachment): void {
    this.#names.delete(metadata.name);
    this.#unseen.delete(metadata.name);
    this.#deleting.delete(metadata.uid);
  }

  creating(attachment: NewAttachment): void {
    this.#names.add(attachment.metadata.name);
    this.#unseen.set(attachment.metadata.name, attachment);
  }

  notCreated({ metadata }: NewAttachment): void {
    this.#names.delete(metadata.name);
    this.#unseen.delete(metadata.name);
  }

  deleting({ metadata }: Attachment): void {
    this.#deleting.add(metadata.uid);
  }

  notDeleting({ metadata }: Attachment): void {
    this.#deleting.delete(metadata.uid);
  }

  /** Whether it is managed and not being deleted. */
  has({ metadata }: Attachment): boolean {
    return this.#names.has(metadata.name) && !this.#deleting.has(metadata.uid) && !this.#unseen.has(metadata.name);
  }

  /** Created, but not yet in the cache. */
  unseenOf(volume: string): readonly Attachment[] {
    return [...this.#unseen.values()]
      .filter(({ spec }) => spec.source.persistentVolumeName === volume)
      .map(({ metadata, spec }) => ({ metadata: { name: metadata.name, uid: "", resourceVersion: "" }, spec }));
  }
}
