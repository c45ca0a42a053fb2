import { Misuse } from "@csi-sidecars/host/sub-commands";
import type { ObjectRef } from "@csi-sidecars/kube";
import type { Subject } from "./gather.ts";

/** The words for what can be asked about, those of kubectl first. */
const words: Readonly<Record<string, { readonly kind: Subject; readonly namespaced: boolean }>> = {
  pvc: { kind: "claim", namespaced: true },
  persistentvolumeclaim: { kind: "claim", namespaced: true },
  pv: { kind: "volume", namespaced: false },
  persistentvolume: { kind: "volume", namespaced: false },
  volumeattachment: { kind: "attachment", namespaced: false },
  va: { kind: "attachment", namespaced: false },
  pod: { kind: "pod", namespaced: true },
  po: { kind: "pod", namespaced: true },
};

/** What a command line begins with, and the flags after it. */
export interface Question {
  readonly kind: Subject;
  readonly ref: ObjectRef;
}

export const operands = "pvc|pod <namespace>/<name> | pv|volumeattachment <name>";

/** Takes the leading words that are no flags: `pvc default/data`, as `kubectl` also `pvc/data`. */
export function leadingWords(argv: readonly string[]): { readonly asked: readonly string[]; readonly flags: readonly string[] } {
  const first = argv.findIndex((word) => word.startsWith("-"));
  const end = first < 0 ? argv.length : first;
  return { asked: argv.slice(0, end), flags: argv.slice(end) };
}

/** Reads what is asked; `namespace` is for names that have none. Throws `Misuse`. */
export function readQuestion(asked: readonly string[], namespace: string): Question {
  const [all = ""] = asked;
  const slash = asked.length === 1 ? all.indexOf("/") : -1;
  const [word = "", name = "", ...more] = slash < 0 ? asked : [all.slice(0, slash), all.slice(slash + 1)];
  const known = words[word.toLowerCase().replace(/s$/, "")];
  if (asked.length === 0) throw new Misuse(`name what to explain: ${operands}`);
  if (!known) throw new Misuse(`nothing can be said about ${JSON.stringify(word)}: name ${operands}`);
  if (name === "" || more.length > 0) throw new Misuse(`name one object after ${word}: ${operands}`);
  const parts = name.split("/");
  if (parts.some((part) => part === "") || parts.length > (known.namespaced ? 2 : 1)) {
    throw new Misuse(`${JSON.stringify(name)} is not a name${known.namespaced ? " with a namespace: <namespace>/<name>" : ""}`);
  }
  if (!known.namespaced) return { kind: known.kind, ref: { name } };
  const [first = "", second] = parts;
  return { kind: known.kind, ref: second === undefined ? { namespace, name: first } : { namespace: first, name: second } };
}
