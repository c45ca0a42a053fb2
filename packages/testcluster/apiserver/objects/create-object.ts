import type { Kind } from "../../kinds/kind.ts";
import { admitCreate } from "../../rules/admission.ts";
import { type JsonObject, stringAt } from "../../rules/json.ts";
import { alreadyExists, badRequest, plainError } from "../../rules/status.ts";
import { Revision, storageKey } from "../store/revision.ts";
import { admissionContext } from "./admission-context.ts";
import { generateName } from "./generate-name.ts";
import { withManagedFields } from "./managed-fields.ts";
import { metadataOf, newMetadata } from "./metadata.ts";
import { checkNamespaceTakesContent } from "./namespace-lifecycle.ts";
import { tableOf, timestamp, type World, type Writer } from "./world.ts";

/** POST: stores a new object and gives it its identity. */
export function createObject(world: World, kind: Kind, namespace: string | undefined, body: JsonObject, writer: Writer): Revision {
  const given = metadataOf(body);
  if (stringAt(given, "resourceVersion") !== "") throw plainError("resourceVersion should not be set on objects to be created");
  checkNamespace(namespace, stringAt(given, "namespace"));
  const name = nameFor(world, kind, namespace, given);
  if (kind.namespaced) checkNamespaceTakesContent(world, kind, namespace ?? "", name);

  const metadata = newMetadata(kind, given, {
    name,
    namespace: kind.namespaced ? namespace : undefined,
    uid: crypto.randomUUID(),
    creationTimestamp: timestamp(world.clock.now()),
  });
  const { status, ...rest } = body;
  const object = { ...rest, metadata, ...(status !== undefined && keepsStatus(kind) && { status }) };
  const created = admitCreate(kind, object, admissionContext(world, writer));
  const admitted = writer.managers ? withManagedFields(created, writer.managers) : created;

  const table = tableOf(world, kind);
  const key = storageKey(namespace, name);
  if (table.get(key)) throw alreadyExists(kind, name);
  return writer.dryRun ? new Revision(key, 0, withoutTypes(admitted)) : world.store.put(table, key, admitted);
}

/** An object is written where the path says; a namespace in the object may only say the same. */
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

/** The name the client chose, or one generated from its base; none at all is for admission to refuse. */
function nameFor(world: World, kind: Kind, namespace: string | undefined, given: JsonObject): string {
  const name = stringAt(given, "name");
  if (name !== "") return name;
  const base = stringAt(given, "generateName");
  if (base === "") return "";
  let generated = generateName(base, world.random);
  for (let i = 1; i < attempts && tableOf(world, kind).get(storageKey(namespace, generated)); i++) {
    generated = generateName(base, world.random);
  }
  return generated;
}
