import { isRecord } from "@csi-sidecars/base";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { endlessAlias } from "./aliases.ts";
import { type Fields, fieldsAt, textAt } from "./container.ts";
import { readDocuments } from "./read-documents.ts";

/** One object of a stream; those in a `List` one by one. */
export interface Manifest {
  readonly object: Fields;
  readonly kind: string;
  readonly name: string;
  /** Empty where the manifest leaves it to `kubectl`. */
  readonly namespace: string;
  readonly document: Document.Parsed;
  readonly node: YAMLMap;
}

/** A workload with pods, and where its containers are in the text. */
export interface Workload extends Manifest {
  readonly pod: Fields;
  readonly containers: YAMLSeq;
}

/** A file that cannot be read as manifests; the message is for the user. */
export class UnreadableManifest extends Error {
  override readonly name = "UnreadableManifest";
}

/** All objects in a stream of YAML or JSON documents. */
export function readManifests(text: string, file: string): readonly Manifest[] {
  return readDocuments(text).flatMap(({ document, mistake }) => {
    const template = isTemplate(document) ? rendered : "";
    if (mistake !== undefined) throw new UnreadableManifest(`${file}: ${mistake}${template}`);
    if (template !== "") throw new UnreadableManifest(`${file} is no manifest${template}`);
    const endless = endlessAlias(document);
    if (endless !== undefined) throw new UnreadableManifest(`${file}: alias *${endless} is part of what it refers to`);
    return isMap(document.contents) ? objectsIn(document.contents as YAMLMap, document, file) : [];
  });
}

const rendered = "; this is a template: render it first, with helm template";

/** YAML takes `{{ .Values.x }}` for a map with a map as its key, which no manifest has. */
function isTemplate(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Pair(_, { key }) {
      if (isNode(key) && !isScalar(key) && !isAlias(key)) found = true;
      return found ? visit.BREAK : undefined;
    },
  });
  return found;
}

function objectsIn(node: YAMLMap, document: Document.Parsed, file: string): readonly Manifest[] {
  const object = toPlain(node, document, file);
  const kind = textAt(object, "kind") ?? "";
  const items = node.get("items");
  if (kind.endsWith("List") && isSeq(items)) return items.items.flatMap((item) => (isMap(item) ? objectsIn(item, document, file) : []));
  const metadata = fieldsAt(object, "metadata");
  return [{ object, kind, name: textAt(metadata, "name") ?? "", namespace: textAt(metadata, "namespace") ?? "", document, node }];
}

function toPlain(node: YAMLMap, document: Document.Parsed, file: string): Fields {
  try {
    const plain: unknown = node.toJS(document);
    return isRecord(plain) ? plain : {};
  } catch (error) {
    throw new UnreadableManifest(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const kinds: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

/** The workload of a manifest, if it is one with a list of containers. */
export function workloadOf(manifest: Manifest): Workload | undefined {
  const group = (textAt(manifest.object, "apiVersion") ?? "").split("/")[0];
  if (!kinds.has(manifest.kind) || (group !== "apps" && group !== "extensions")) return undefined;
  const pod = fieldsAt(manifest.object, "spec", "template", "spec");
  const containers = manifest.node.getIn(["spec", "template", "spec", "containers"], true);
  return pod && isNode(containers) && isSeq(containers) ? { ...manifest, pod, containers } : undefined;
}

/** `Deployment kube-system/csi-nfs-controller` */
export function titleOf({ kind, namespace, name }: Manifest): string {
  return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}
