import type { Kind } from "../../kinds/kind.ts";
import { requiredValue } from "../../rules/field-error.ts";
import { type JsonObject, stringAt } from "../../rules/json.ts";
import type { User } from "../../rules/rbac/authorize.ts";
import { invalidKind, methodNotAllowed, notFound, tooLargeResourceVersion, unknownResource } from "../../rules/status.ts";
import { toStored } from "../conversion.ts";
import type { HttpRequest } from "../http/http1.ts";
import { bindPod } from "../objects/bind-pod.ts";
import { createObject } from "../objects/create-object.ts";
import { type Deletion, deleteObject } from "../objects/delete-object.ts";
import { applyObject, applyPatch, type Patch, patchObject } from "../objects/patch-object.ts";
import { replaceObject, updateObject } from "../objects/update-object.ts";
import { type ServerState, type Target, tableOf } from "../server-state.ts";
import { type Revision, storageKey } from "../store/revision.ts";
import { includedObject, type TableForm, tableText } from "../table/table.ts";
import { listText, objectText, partialListText, partialText } from "./encoding.ts";
import { type FieldCheck, fieldValidation, patchedFields, withKnownFields } from "./field-validation.ts";
import { listObjects, type Page } from "./list-objects.ts";
import type { ResponseForm } from "./negotiation.ts";
import {
  applyType,
  bindingBody,
  contentTypeOf,
  deleteOptionsBody,
  jsonTextOf,
  readConfiguration,
  readJson,
  readObject,
  readPatch,
} from "./read-body.ts";
import { isTrue, type ResourceRequest, type Verb } from "./request-info.ts";
import { deleteOptions, isDryRun, isDryRunDelete, listOptions, type OptionsKind, plainVersion } from "./request-options.ts";
import { type HttpResponse, jsonResponse, statusText } from "./response.ts";
import { scaleBody, scaleOf, withScale } from "./scale.ts";
import { selectionOf } from "./selection.ts";

/** A request for the objects of a kind, other than a watch. */
interface ObjectCall {
  readonly state: ServerState;
  readonly request: HttpRequest;
  readonly info: ResourceRequest;
  readonly kind: Kind;
  readonly query: URLSearchParams;
  readonly user: User;
  /** The form that the client asked for. */
  readonly form: ResponseForm;
  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
  /** For a delete that read the object before its finalizers were added. */
  readonly ignoreFinalizers: boolean;
}

/** Serves the request; a refusal is thrown as a StatusError. */
export function serveObjects(call: ObjectCall, verb: Exclude<Verb, "watch">): HttpResponse {
  if (call.info.subresource === "scale") return scale(call, verb);
  switch (verb) {
    case "get":
      return answer(call, 200, get(call));
    case "list":
      return list(call);
    case "create":
      return create(call);
    case "update": {
      const body = readStored(call, "UpdateOptions");
      const { revision, created } = updateObject(call.state, targetOf(call), body, writer(call, "UpdateOptions"));
      return answer(call, created ? 201 : 200, revision);
    }
    case "patch": {
      if (contentTypeOf(call.request) === applyType) return apply(call);
      return answer(call, 200, patchObject(call.state, targetOf(call), readPatchOf(call), writer(call, "PatchOptions")));
    }
    case "delete":
      return deleteOne(call);
    case "deletecollection":
      return deleteAll(call);
  }
}

/** The object in the body, without unknown fields, in the version in which it is stored. */
function readStored(call: ObjectCall, optionsKind: OptionsKind): JsonObject {
  const { kind, request } = call;
  const check = fieldCheck(call, optionsKind);
  return toStored(kind, withKnownFields(kind, readObject(request, kind), jsonTextOf(request), check));
}

function apply(call: ObjectCall): HttpResponse {
  const { state, request, query } = call;
  const by = writer(call, "PatchOptions");
  if (!query.get("fieldManager")) {
    throw invalidKind("meta.k8s.io", "PatchOptions", "", [requiredValue("fieldManager", "is required for apply patch")]);
  }
  const { revision, created } = applyObject(state, targetOf(call), readConfiguration(request), isTrue(query.get("force")), by);
  return answer(call, created ? 201 : 200, revision);
}

function readPatchOf(call: ObjectCall): Patch {
  const { kind, request } = call;
  const check = fieldCheck(call, "PatchOptions");
  const body = readPatch(request);
  return { contentType: contentTypeOf(request), body, known: (patched) => patchedFields(kind, patched, body, request.body, check) };
}

/** The size of a workload, read and written by itself. */
function scale(call: ObjectCall, verb: Exclude<Verb, "watch">): HttpResponse {
  const { state, kind, info, request } = call;
  const found = get(call);
  const size = scaleOf(found.object);
  const write = (changed: JsonObject, by: ReturnType<typeof writer>) => {
    const target = { kind, namespace: namespaceOf(kind, info), name: info.name ?? "", subresource: undefined };
    const written = replaceObject(state, target, found, withScale(found.object, changed), by, true);
    return jsonResponse(200, JSON.stringify(scaleOf(written.object)));
  };
  switch (verb) {
    case "get":
      return jsonResponse(200, JSON.stringify(size));
    case "update":
      return write(readJson(request, scaleBody), writer(call, "UpdateOptions"));
    case "patch": {
      // Scales have no merge keys, as custom kinds.
      const changed = applyPatch({ kind: { ...kind, custom: true } }, contentTypeOf(request), size, readPatch(request));
      return write(changed, writer(call, "PatchOptions"));
    }
    default:
      throw methodNotAllowed();
  }
}

const fieldCheck = ({ query, warn }: ObjectCall, optionsKind: OptionsKind): FieldCheck => ({
  validation: fieldValidation(query, optionsKind),
  warn,
});

function get({ state, kind, info, query }: ObjectCall): Revision {
  const asked = plainVersion(query.get("resourceVersion") ?? "");
  if (asked > state.store.version) throw tooLargeResourceVersion(asked, state.store.version);
  const found = tableOf(state, kind).get(storageKey(namespaceOf(kind, info), info.name ?? ""));
  if (!found) throw notFound(kind, info.name ?? "");
  return found;
}

function list(call: ObjectCall): HttpResponse {
  const { state, kind, info, query } = call;
  const options = listOptions(query, false);
  return listAnswer(call, listObjects(state, kind, selectionOf(kind, namespaceOf(kind, info), options), options));
}

const tableForm = ({ state, kind, query }: ObjectCall): TableForm => ({ kind, include: includedObject(query), now: state.clock.now() });

function create(call: ObjectCall): HttpResponse {
  const { state, kind, info } = call;
  if (info.subresource === "binding") return bind(call);
  if (info.name !== undefined || (kind.namespaced && info.namespace === undefined)) throw methodNotAllowed();
  const body = readStored(call, "CreateOptions");
  return answer(call, 201, createObject(state, kind, namespaceOf(kind, info), body, writer(call, "CreateOptions")));
}

function bind(call: ObjectCall): HttpResponse {
  const { state, kind, info, request } = call;
  bindPod(state, kind, info.namespace ?? "", info.name ?? "", readJson(request, bindingBody), writer(call, "CreateOptions"));
  return jsonResponse(201, statusText({ status: "Success", code: 201 }));
}

function deleteOne(call: ObjectCall): HttpResponse {
  const { state, query, user, request, ignoreFinalizers } = call;
  const target = targetOf(call);
  if (target.subresource !== undefined) throw methodNotAllowed();
  const body = readJson(request, deleteOptionsBody, true);
  const by = { user, dryRun: isDryRunDelete(body, query) };
  const deletion = deleteObject(state, target, { ...deleteOptions(body, query), ignoreFinalizers }, by);
  if (!deletion.removed || target.kind.answersDeleted) return answer(call, 200, deletion.revision);
  return jsonResponse(200, removedText(target, deletion));
}

function removedText({ kind, name }: Target, { revision }: Deletion): string {
  const uid = stringAt(revision.object, "metadata", "uid");
  return statusText({ status: "Success", details: { name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid } });
}

function deleteAll(call: ObjectCall): HttpResponse {
  const { state, kind, info, query, user, request } = call;
  if (kind.deletesOneByOne || (kind.namespaced && info.namespace === undefined)) throw methodNotAllowed();
  const body = readJson(request, deleteOptionsBody, true);
  const options = listOptions(query, false);
  const namespace = namespaceOf(kind, info);
  const page = listObjects(state, kind, selectionOf(kind, namespace, options), options);
  const by = { user, dryRun: isDryRunDelete(body, query) };
  for (const { object } of page.items) {
    deleteObject(state, { kind, namespace, name: stringAt(object, "metadata", "name") }, deleteOptions(body, query), by);
  }
  return listAnswer(call, page);
}

function answer(call: ObjectCall, code: number, revision: Revision): HttpResponse {
  const { form, kind } = call;
  switch (form.as) {
    case "objects":
      return jsonResponse(code, objectText(kind, revision));
    case "metadata":
      return jsonResponse(code, partialText(form, kind, revision));
    case "table":
      return jsonResponse(code, tableText(tableForm(call), { resourceVersion: String(revision.version) }, [revision]));
  }
}

function listAnswer(call: ObjectCall, { metadata, items }: Page): HttpResponse {
  const { form, kind } = call;
  switch (form.as) {
    case "objects":
      return jsonResponse(200, listText(kind, metadata, items));
    case "metadata":
      return jsonResponse(200, partialListText(form, kind, metadata, items));
    case "table":
      return jsonResponse(200, tableText(tableForm(call), metadata, items));
  }
}

function targetOf({ kind, info }: ObjectCall): Target {
  if (info.name === undefined || (kind.namespaced && info.namespace === undefined)) throw methodNotAllowed();
  if (info.subresource !== undefined && info.subresource !== "status") throw unknownResource();
  return { kind, namespace: namespaceOf(kind, info), name: info.name, subresource: info.subresource };
}

/** Authorization treats a namespace as being in itself; in the store it is cluster-scoped. */
const namespaceOf = (kind: Kind, info: ResourceRequest): string | undefined => (kind.namespaced ? info.namespace : undefined);

const writer = ({ query, user, request }: ObjectCall, optionsKind: OptionsKind) => ({
  user,
  manager: query.get("fieldManager") || (request.headers.get("user-agent") ?? "").split("/", 1)[0] || "unknown",
  dryRun: isDryRun(query, optionsKind),
});
