/** How far a step is: `done`, `waiting` for something that may still come, `failed` until somebody acts, `not yet` because of the steps before. */
export type StepState = "done" | "waiting" | "failed" | "not yet";

/** Where what is said can be seen. */
export interface Evidence {
  /** `PersistentVolumeClaim default/data` */
  readonly object: string;
  /** A field of it, or `event <reason>`. */
  readonly field: string;
  readonly value: string;
  /** RFC 3339, where the object says it. */
  readonly since?: string;
}

/** One step on the way of a volume. */
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
  /** Whether the object is there at all. */
  readonly found: boolean;
  /** The state of the whole: of the first step that is not done, `done` if there is none. */
  readonly state: Exclude<StepState, "not yet">;
  /** That step in one sentence. */
  readonly summary: string;
  readonly steps: readonly Step[];
  /** What could not be looked at, and which permission that needs. */
  readonly unseen: readonly string[];
}

export function step(state: StepState, what: string, evidence: readonly Evidence[] = [], remedy?: string): Step {
  return { state, what, evidence, ...(remedy !== undefined && { remedy }) };
}

/** A failed step says more than one that waits, wherever it stands. */
export function explanation(subject: string, steps: readonly Step[], unseen: readonly string[], otherwise: string): Explanation {
  const blocking = steps.find(({ state }) => state === "failed") ?? steps.find(({ state }) => state === "waiting");
  const state = blocking?.state === "failed" || blocking?.state === "waiting" ? blocking.state : "done";
  return { subject, found: true, state, summary: blocking?.what ?? otherwise, steps, unseen: [...unseen].sort() };
}

/** What a note about an object that could not be looked at begins with. */
export const unseenNote = (object: string) => `could not look at ${object}: `;

function accessRemedy(because: string): string | undefined {
  if (because === "Unauthorized") return "check the credentials in the kubeconfig";
  return because.startsWith("needs ") ? "ask with a kubeconfig whose user has that right" : undefined;
}

/** For an object that is not there (`missing`), or that could not be read. */
export function notFound(subject: string, state: "seen" | "missing" | "unseen", unseen: readonly string[]): Explanation {
  const looked = unseenNote(subject);
  const because = unseen.find((note) => note.startsWith(looked))?.slice(looked.length) ?? "";
  const failed =
    state === "missing"
      ? step("failed", "does not exist", [], "check the name, the namespace, and with which kubeconfig the cluster is asked")
      : step("failed", because ? `could not be read: ${because}` : "could not be read", [], accessRemedy(because));
  return { subject, found: false, state: "failed", summary: failed.what, steps: [failed], unseen: [...unseen].sort() };
}
