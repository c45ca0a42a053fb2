import { type Dictionary, dictionary } from "@csi-sidecars/base";
import { Misuse } from "@csi-sidecars/host/sub-commands";
import type { ObjectRef } from "@csi-sidecars/kube";

/** The object that is to be explained. */
export interface ObjectArgument {
  readonly kind: "claim" | "volume" | "attachment" | "pod" | "snapshot" | "content" | "group snapshot" | "group content" | "node";
  readonly ref: ObjectRef;
}

/** What the kinds are called, kubectl's short names first. */
const kinds: Readonly<Dictionary<{ readonly kind: ObjectArgument["kind"]; readonly namespaced: boolean }>> = dictionary({
  pvc: { kind: "claim", namespaced: true },
  persistentvolumeclaim: { kind: "claim", namespaced: true },
  pv: { kind: "volume", namespaced: false },
  persistentvolume: { kind: "volume", namespaced: false },
  volumeattachment: { kind: "attachment", namespaced: false },
  va: { kind: "attachment", namespaced: false },
  pod: { kind: "pod", namespaced: true },
  po: { kind: "pod", namespaced: true },
  node: { kind: "node", namespaced: false },
  no: { kind: "node", namespaced: false },
  vs: { kind: "snapshot", namespaced: true },
  volumesnapshot: { kind: "snapshot", namespaced: true },
  vsc: { kind: "content", namespaced: false },
  volumesnapshotcontent: { kind: "content", namespaced: false },
  vgs: { kind: "group snapshot", namespaced: true },
  volumegroupsnapshot: { kind: "group snapshot", namespaced: true },
  vgsc: { kind: "group content", namespaced: false },
  volumegroupsnapshotcontent: { kind: "group content", namespaced: false },
});

export const operands =
  "pvc|pod|volumesnapshot|volumegroupsnapshot <namespace>/<name> | pv|volumeattachment|node|volumesnapshotcontent|volumegroupsnapshotcontent <name>";

/** Reads `pvc default/data`, or as with kubectl `pvc/data`; `namespace` is for names that have none. Throws `Misuse`. */
export function readObjectArgument(given: readonly string[], namespace: string): ObjectArgument {
  const [all = ""] = given;
  const slash = given.length === 1 ? all.indexOf("/") : -1;
  const [word = "", name = "", ...more] = slash < 0 ? given : [all.slice(0, slash), all.slice(slash + 1)];
  const known = kinds[word.toLowerCase()] ?? kinds[word.toLowerCase().replace(/s$/, "")];
  if (given.length === 0) throw new Misuse(`name the object to explain: ${operands}`);
  if (!known) throw new Misuse(`cannot explain ${JSON.stringify(word)}: name ${operands}`);
  if (name === "" || more.length > 0) throw new Misuse(`name one object after ${word}: ${operands}`);
  const parts = name.split("/");
  if (parts.some((part) => part === "") || parts.length > (known.namespaced ? 2 : 1)) {
    throw new Misuse(`${JSON.stringify(name)} is not a name${known.namespaced ? " with a namespace: <namespace>/<name>" : ""}`);
  }
  if (!known.namespaced) return { kind: known.kind, ref: { name } };
  const [first = "", second] = parts;
  return { kind: known.kind, ref: second === undefined ? { namespace, name: first } : { namespace: first, name: second } };
}
