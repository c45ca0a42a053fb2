import { metav1Time } from "@csi-sidecars/kube";
import type { Kind } from "../../kinds/kind.ts";
import { admitCreate } from "../../rules/admission/admission.ts";
import { type JsonObject, stringAt } from "../../rules/json.ts";
import { alreadyExists, badRequest, plainError } from "../../rules/status.ts";
import { inStorageVersion } from "../conversion.ts";
import { admissionContext, type ServerState, tableOf, type Writer } from "../server-state.ts";
import { Revision, storageKey } from "../store/revision.ts";
import { metadataOf, newMetadata, withManagedFields } from "./metadata.ts";
import { checkNamespaceTakesContent } from "./namespace-lifecycle.ts";

/** POST: stores a new object with its uid and creation time. */
export function createObject(state: ServerState, kind: Kind, namespace: string | undefined, body: JsonObject, writer: Writer): Revision {
  const given = metadataOf(body);
  if (stringAt(given, "resourceVersion") !== "") throw plainError("resourceVersion should not be set on objects to be created");
  checkNamespace(namespace, stringAt(given, "namespace"));
  const name = nameFor(state, kind, namespace, given);
  if (kind.namespaced) checkNamespaceTakesContent(state, kind, namespace ?? "", name);

  const metadata = newMetadata(kind, given, {
    name,
    namespace: kind.namespaced ? namespace : undefined,
    uid: crypto.randomUUID(),
    creationTimestamp: metav1Time(state.clock.now()),
  });
  const { status, ...rest } = body;
  const object = { ...rest, metadata, ...(status !== undefined && keepsStatus(kind) && { status }) };
  const created = admitCreate(kind, object, admissionContext(state, writer));
  const admitted = inStorageVersion(kind, writer.managers ? withManagedFields(created, writer.managers) : created);

  const table = tableOf(state, kind);
  const key = storageKey(namespace, name);
  if (table.get(key)) throw alreadyExists(kind, name);
  return writer.dryRun ? new Revision(key, 0, withoutTypes(admitted)) : state.store.put(table, key, admitted);
}

/** A namespace in the object must be that of the path. */
export function checkNamespace(path: string | undefined, given: string): void {
  if (given !== "" && given !== (path ?? "")) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

const keepsStatus = (kind: Kind): boolean => !kind.status || kind.statusOnCreate;

function withoutTypes({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

const attempts = 8;

/** The name that the client chose, or a generated one; admission refuses an empty one. */
function nameFor(state: ServerState, kind: Kind, namespace: string | undefined, given: JsonObject): string {
  const name = stringAt(given, "name");
  if (name !== "") return name;
  const base = stringAt(given, "generateName");
  if (base === "") return "";
  let generated = generateName(base, state.random);
  for (let i = 1; i < attempts && tableOf(state, kind).get(storageKey(namespace, generated)); i++) {
    generated = generateName(base, state.random);
  }
  return generated;
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** `generateName` with a random suffix, of an alphabet that spells no words. */
function generateName(base: string, random: () => number): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return base.slice(0, longestBase) + suffix;
}
