import type { Claim, Content, SnapshotClass, Volume } from "../fields.ts";

interface Lookup<P> {
  get(key: string): P | undefined;
}

/** What a plan reads. */
export interface Lookups {
  readonly contents: Lookup<Content>;
  readonly classes: Lookup<SnapshotClass> & { list(): readonly SnapshotClass[] };
  readonly claims: Lookup<Claim>;
  readonly volumes: Lookup<Volume>;
  /** The group snapshot, in this namespace, that a content says its snapshot was taken with: its name, or why it is not known. */
  groupOf(content: Content, namespace: string | undefined): { readonly name: string } | "none" | "elsewhere" | "not yet read" | "no groups";
  /** The node whose csi-snapshotter is to serve the volume; `any` where that does not matter. */
  nodeFor(volume: Volume): { readonly name: string } | "any" | "none";
  /** `--prevent-volume-mode-conversion` */
  readonly notesVolumeMode: boolean;
}
