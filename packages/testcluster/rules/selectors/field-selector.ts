import { ownValue } from "@csi-sidecars/base";
import { at, type JsonObject, objectAt, stringAt } from "../json.ts";
import { groupResource, type ServedKind } from "../kind.ts";
import { badRequest } from "../status.ts";

/** Whether an object is selected by its fields. */
type FieldMatch = (object: JsonObject) => boolean;

/** The `fieldSelector` of lists and watches; the empty one selects everything. Fields that the kind does not support are a 400. */
export function parseFieldSelector(kind: ServedKind, text: string): FieldMatch {
  const terms = fieldTerms(text).map(({ field, negated, value }): FieldMatch => {
    const read = reader(kind, field);
    return (object) => (read(object) === value) !== negated;
  });
  return (object) => terms.every((matches) => matches(object));
}

type Read = (object: JsonObject) => string;

const path = (...names: string[]): Read => {
  return (object) => {
    const found = at(object, ...names);
    return found === undefined || found === null ? "" : String(found);
  };
};

const builtIn: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  pods: {
    "spec.nodeName": path("spec", "nodeName"),
    "spec.restartPolicy": path("spec", "restartPolicy"),
    "spec.schedulerName": path("spec", "schedulerName"),
    "spec.serviceAccountName": path("spec", "serviceAccountName"),
    "spec.hostNetwork": (object) => String(at(object, "spec", "hostNetwork") === true),
    "status.phase": path("status", "phase"),
    "status.podIP": path("status", "podIP"),
    "status.podIPs": path("status", "podIP"),
    "status.nominatedNodeName": path("status", "nominatedNodeName"),
  },
  events: {
    ...Object.fromEntries(
      ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((name) => [
        `involvedObject.${name}`,
        path("involvedObject", name),
      ]),
    ),
    reason: path("reason"),
    type: path("type"),
    reportingComponent: path("reportingComponent"),
    source: (object) => stringAt(object, "source", "component") || stringAt(object, "reportingComponent"),
  },
  namespaces: { "status.phase": path("status", "phase") },
  nodes: { "spec.unschedulable": (object) => String(objectAt(object, "spec").unschedulable === true) },
  secrets: { type: path("type") },
};

/** The message about an unsupported field differs for kinds that have selectable fields of their own. */
function reader(kind: ServedKind, field: string): Read {
  if (field === "metadata.name") return path("metadata", "name");
  if (field === "metadata.namespace" && (kind.namespaced || !hasOwnFields(kind))) return path("metadata", "namespace");
  const known = ownValue(ownValue(builtIn, groupResource(kind)), field) ?? customReader(kind, field);
  if (known) return known;
  if (hasOwnFields(kind)) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

const hasOwnFields = (kind: ServedKind): boolean => kind.custom === true || ownValue(builtIn, groupResource(kind)) !== undefined;

function customReader(kind: ServedKind, field: string): Read | undefined {
  return kind.selectableFields?.includes(`.${field}`) ? path(...field.split(".")) : undefined;
}

/** One comparison of a field selector. */
interface FieldTerm {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** The comparisons of a field selector in the server's order, which is that of their texts. Values escape `,`, `=` and `\\`. */
function fieldTerms(text: string): readonly FieldTerm[] {
  return splitAtCommas(text)
    .filter((part) => part !== "")
    .sort()
    .map((part) => parseTerm(text, part))
    .filter(({ field, value }) => field !== "" || value !== "");
}

function splitAtCommas(text: string): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\.|./gs)) {
    if (piece === ",") parts.push("");
    else parts.push(`${parts.pop()}${piece}`);
  }
  return parts;
}

function parseTerm(text: string, part: string): FieldTerm {
  const found = /^(?<field>.*?)(?<operator>!=|==?)(?<value>.*)$/s.exec(part)?.groups;
  if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
  return { field: found.field ?? "", negated: found.operator === "!=", value: unescaped(found.value ?? "") };
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gs, (piece, escaped?: string) => {
    if (escaped === undefined) throw badRequest(`invalid field selector: unescaped character in value: ${piece.charCodeAt(0)}`);
    if (!["\\", ",", "="].includes(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${piece}`);
    return escaped;
  });
}
