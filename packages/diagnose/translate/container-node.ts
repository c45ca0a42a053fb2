import { Document, isMap, isSeq, type Node, Scalar, type YAMLMap } from "yaml";
import { definesAnchor, hasAlias } from "./aliases.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";
import type { NewContainer } from "./merge-sidecars.ts";

/** The manifest of the new container. What comes from the old ones keeps its spelling and its comments. */
export function containerNode(container: NewContainer, nodeOf: (sidecar: LegacySidecar) => YAMLMap | undefined): YAMLMap {
  const document = new Document();
  const lists = container.items.flatMap(([field, items]) => {
    const nodes: unknown[] = items.map(
      (item) => (item.changed ? undefined : originalNode(nodeOf(item.sidecar), item.field, item.at)) ?? item.value,
    );
    if (field === "env") nodes.push(...container.extraVariables);
    return nodes.length > 0 ? [[field, nodes] as const] : [];
  });
  const first = (name: string) => container.fields.filter(([field]) => field === name);
  const listed = (...names: readonly string[]) => lists.filter(([field]) => names.includes(field));
  const fields: readonly (readonly [string, unknown])[] = [
    ["name", container.name],
    ["image", container.image],
    ...first("imagePullPolicy"),
    ["args", container.args.map(({ word, comments }) => argumentNode(word, comments))],
    ...listed("env", "envFrom", "ports"),
    ...container.fields.filter(([field]) => field !== "imagePullPolicy"),
    ...listed("volumeMounts", "volumeDevices"),
  ];
  return document.createNode(Object.fromEntries(fields), { aliasDuplicateObjects: false }) as YAMLMap;
}

function argumentNode(word: string, comments: readonly string[]): Scalar {
  const scalar = new Scalar(word);
  if (comments.length > 0) scalar.comment = [...new Set(comments)].join("; ").replaceAll("\n", " ");
  return scalar;
}

function originalNode(container: YAMLMap | undefined, field: string, at: number): Node | undefined {
  const list = container?.get(field, true);
  const item = isSeq(list) ? list.items[at] : undefined;
  return isMap(item) && !hasAlias(item) && !definesAnchor(item) ? (item.clone() as Node) : undefined;
}

/** The comments of the arguments of a container, by the flag's name. */
export function argumentComments(container: YAMLMap): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  for (const field of ["command", "args"]) {
    const list = container.get(field, true);
    for (const word of isSeq(list) ? list.items : []) {
      if (!(word instanceof Scalar)) continue;
      const [, flag] = /^--?([^=\s]+)/.exec(String(word.value)) ?? [];
      const comment = [word.commentBefore, word.comment].filter((text) => text).join("; ");
      if (flag !== undefined && comment !== "") comments.set(flag, comment);
    }
  }
  return comments;
}
