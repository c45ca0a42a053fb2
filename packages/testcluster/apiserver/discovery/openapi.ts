import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { ownValue } from "@csi-sidecars/base";
import { descriptionsOf } from "../../kinds/descriptions.ts";
import type { Kind } from "../../kinds/kind.ts";
import { objectMetaName, type PublishedSchema, publishedSchemas, schemaNameOf } from "../../kinds/schemas.ts";
import { type HttpResponse, jsonHeaders, jsonResponse } from "../rest/response.ts";
import { reviewKinds } from "../rest/reviews.ts";

/** A kind in an OpenAPI document. Less is known of reviews, which are only created. */
type DocumentedKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "namespaced"> & Partial<Kind>;

/**
 * OpenAPI v3 as kubectl reads it: the list of documents, and for each group version one with the schemas of its kinds (for `explain` and
 * for the patches of `apply`) and with one PATCH for each kind, which says that the server validates fields itself.
 */
export function openApiV3(path: string, kinds: readonly Kind[]): object | undefined {
  if (path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  const documented: readonly DocumentedKind[] = [...kinds, ...reviewKinds.map((kind) => ({ ...kind, namespaced: false }))];
  if (path === "/openapi/v3") {
    const roots = [...new Set(documented.map(rootOf))].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }]);
    return { paths: Object.fromEntries(roots) };
  }
  const served = documented.filter((kind) => path === `/openapi/v3/${rootOf(kind)}`);
  if (served.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: Object.fromEntries(served.map((kind) => [objectPath(kind), { patch: patchOf(kind) }])),
    components: { schemas: schemasOf(served) },
  };
}

const rootOf = ({ group, version }: DocumentedKind): string => (group === "" ? `api/${version}` : `apis/${group}/${version}`);

const objectPath = (kind: DocumentedKind): string =>
  `/${rootOf(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}/{name}`;

const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

function patchOf({ group, version, kind, custom = false }: DocumentedKind): object {
  const types = custom ? patchTypes : [...patchTypes, "application/strategic-merge-patch+json"];
  return {
    operationId: `patch${kind}`,
    parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
    requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: { type: "object" } }])) },
    responses: { "200": { description: "OK" } },
    "x-kubernetes-action": "patch",
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

/** The schemas of the kinds and of everything they refer to, with our descriptions. */
function schemasOf(kinds: readonly DocumentedKind[]): Readonly<Record<string, PublishedSchema>> {
  const published = publishedSchemas();
  const found = new Map<string, PublishedSchema>();
  const add = (name: string): void => {
    const schema = ownValue(published, name);
    if (!schema || found.has(name)) return;
    found.set(name, described(name, schema));
    for (const [, referred = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) add(referred);
  };
  for (const kind of kinds) {
    if (kind.schema) {
      found.set(customName(kind), customSchema(kind));
      add(objectMetaName);
    } else add(schemaNameOf(kind) ?? "");
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function described(name: string, schema: PublishedSchema): PublishedSchema {
  const { own, fields } = descriptionsOf(name);
  const properties = Object.entries(schema.properties ?? {}).map(([field, inner]) => {
    const description = ownValue(fields, field);
    return [field, description === undefined ? inner : { description, ...inner }];
  });
  return {
    ...(own !== undefined && { description: own }),
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
  };
}

/** `com.example.v1.Widget`: the group's parts in reverse. */
const customName = ({ group, version, kind }: DocumentedKind): string => [...group.split(".").reverse(), version, kind].join(".");

function customSchema({ group, version, kind, schema }: DocumentedKind): PublishedSchema {
  const { fields } = descriptionsOf("");
  const text = (field: string) => {
    const description = ownValue(fields, field);
    return { ...(description !== undefined && { description }), type: "string" };
  };
  const metadata = {
    ...(fields.metadata !== undefined && { description: fields.metadata }),
    allOf: [{ $ref: `#/components/schemas/${objectMetaName}` }],
  };
  return {
    ...schema,
    properties: { apiVersion: text("apiVersion"), kind: text("kind"), ...schema?.properties, metadata },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const info = { title: "Kubernetes", version: "v1.36.3" };

/**
 * `/openapi/v2` without schemas, which are published in version 3 only. kubectl asks for version 2 when it reads a `kind: List`, and leaves
 * validation to the server when it finds no schemas. It accepts only protobuf.
 */
export function openApiV2(accept: string | undefined): HttpResponse {
  if (!accept?.includes("+protobuf")) return jsonResponse(200, JSON.stringify({ swagger: "2.0", info, paths: {}, definitions: {} }));
  const about = new BinaryWriter().tag(1, 2).string(info.title).tag(2, 2).string(info.version).finish();
  const document = new BinaryWriter().tag(1, 2).string("2.0").tag(2, 2).bytes(about).finish();
  return { code: 200, headers: { ...jsonHeaders, "Content-Type": protobufType }, body: Buffer.from(document).toString("latin1") };
}
