import { unreadableNote } from "../access/notes.ts";
import type { Lookup } from "../access/read-cluster.ts";

/** `done`; `waiting` for something that may still happen; `failed` until somebody acts; `not yet`: the steps before it come first. */
type StepState = "done" | "waiting" | "failed" | "not yet";

/** Where what is said can be seen. */
export interface Evidence {
  /** `PersistentVolumeClaim default/data` */
  readonly object: string;
  /** A field of it, or `event <reason>`. */
  readonly field: string;
  readonly value: string;
  /** RFC 3339, where the object says it. */
  readonly since?: string;
  /** When it was last so, where only that is known. */
  readonly at?: string;
}

/** One step in the life of a volume. */
export interface Step {
  readonly state: StepState;
  /** In plain words, without a full stop. */
  readonly what: string;
  readonly evidence: readonly Evidence[];
  /** What to do about it. */
  readonly remedy?: string;
}

/** What `why` answers. Fields may be added, never renamed: it is printed as JSON too. */
export interface Explanation {
  readonly subject: string;
  /** Whether the object could be read. */
  readonly found: boolean;
  /** The state of the whole: that of the first failed step, else of the first that waits, else `done`. */
  readonly state: Exclude<StepState, "not yet">;
  /** That step in one sentence. */
  readonly summary: string;
  readonly steps: readonly Step[];
  /** What nothing waits for, but whoever asks may want to know. */
  readonly remarks: readonly string[];
  /** What could not be read, and which permission that needs. */
  readonly unreadable: readonly string[];
}

export function step(state: StepState, what: string, evidence: readonly Evidence[] = [], remedy?: string): Step {
  return { state, what, evidence, ...(remedy !== undefined && { remedy }) };
}

/** A failed step says more than one that waits, wherever it stands. `otherwise` is the summary when all is done. */
export function explanation(
  subject: string,
  steps: readonly Step[],
  notes: readonly string[],
  otherwise: string,
  remarks: readonly string[] = [],
): Explanation {
  const blocking = steps.find(({ state }) => state === "failed") ?? steps.find(({ state }) => state === "waiting");
  const state = blocking?.state === "failed" || blocking?.state === "waiting" ? blocking.state : "done";
  const asFar = notes.length > 0 ? ", as far as could be read" : "";
  return { subject, found: true, state, summary: blocking?.what ?? `${otherwise}${asFar}`, steps, remarks, unreadable: [...notes].sort() };
}

/** For an object of a custom kind that the API server does not know. */
export function notServed(subject: string, kind: string, notes: readonly string[]): Explanation {
  const failed = step(
    "failed",
    `the cluster does not serve ${kind}: its CustomResourceDefinition is not installed, or lacks this version`,
    [],
    "install the definitions of docs/snapshots.md; `csi-sidecars check` says which are missing",
  );
  return { subject, found: false, state: "failed", summary: failed.what, steps: [failed], remarks: [], unreadable: [...notes].sort() };
}

/** For an object that does not exist, or that could not be read. */
export function notFound(subject: string, { state }: Lookup<unknown>, notes: readonly string[]): Explanation {
  const prefix = unreadableNote(subject);
  const because = notes.find((note) => note.startsWith(prefix))?.slice(prefix.length) ?? "";
  const failed =
    state === "missing"
      ? step("failed", "does not exist", [], "check the name, the namespace and the kubeconfig")
      : step("failed", because ? `could not be read: ${because}` : "could not be read", [], accessRemedy(because));
  return { subject, found: false, state: "failed", summary: failed.what, steps: [failed], remarks: [], unreadable: [...notes].sort() };
}

function accessRemedy(because: string): string | undefined {
  if (because === "Unauthorized") return "check the credentials in the kubeconfig";
  return because.startsWith("needs ") ? "use a kubeconfig whose user has that permission" : undefined;
}
