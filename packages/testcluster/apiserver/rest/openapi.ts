import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";

/**
 * As much of `/openapi/v3` as kubectl needs to learn that the server checks fields itself: one PATCH for each kind with the
 * `fieldValidation` parameter. Schemas are not published.
 */
export function openApiDocument(path: string, kinds: readonly Kind[]): object | undefined {
  if (path === "/openapi/v3") {
    const roots = [...new Set(kinds.map(rootOf))].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }]);
    return { paths: Object.fromEntries(roots) };
  }
  const served = kinds.filter((kind) => path === `/openapi/v3/${rootOf(kind)}`);
  if (served.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: Object.fromEntries(served.map((kind) => [objectPath(kind), { patch: patchOf(kind) }])),
  };
}

const rootOf = (kind: Kind): string => (kind.group === "" ? `api/${kind.version}` : `apis/${apiVersionOfKind(kind)}`);

const objectPath = (kind: Kind): string => `/${rootOf(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}/{name}`;

function patchOf({ group, version, kind }: Kind): object {
  return {
    operationId: `patch${kind}`,
    parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
    responses: { "200": { description: "OK" } },
    "x-kubernetes-action": "patch",
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}
