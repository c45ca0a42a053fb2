import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { startCluster } from "../../cluster/start-cluster.ts";
import { builtInKinds } from "../../kinds/built-in.ts";
import { publishedSchemas, schemaNameOf } from "../../kinds/schemas.ts";
import { fileCluster } from "../testing/file-cluster.ts";

const file = fileCluster(() => startCluster());

const rootOf = ({ group, version }: { group: string; version: string }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`);

/** The schemas of a group version as the server publishes them, without what they say in words. */
async function schemasAt(root: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await file.admin.get(`/openapi/v3/${root}`);
  return wordless(body.components.schemas) as Record<string, unknown>;
}

function wordless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordless);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => name !== "description" || typeof member !== "string");
  return Object.fromEntries(kept.map(([name, member]) => [name, wordless(member)]));
}

test.each([...new Set(builtInKinds.map(rootOf))])("the schemas of %s are those that the kinds are known by", async (root) => {
  const seen = await schemasAt(root);
  const kinds = builtInKinds.filter((kind) => rootOf(kind) === root);
  const names = new Set<string>();
  const follow = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const [, next = ""] of JSON.stringify(publishedSchemas()[name] ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) follow(next);
  };
  for (const kind of kinds) follow(schemaNameOf(kind) ?? `no schema for ${kind.kind}`);
  expect([...names].filter((name) => publishedSchemas()[name] === undefined)).toEqual([]);
  for (const name of names) expect([name, seen[name]]).toEqual([name, publishedSchemas()[name] as unknown]);
});

test("the list of documents names every group version", async () => {
  const roots = [...new Set(builtInKinds.map(rootOf))];
  const listed = async () => {
    const { body } = await file.admin.get("/openapi/v3");
    // A real server says now and then that its JSON is plain text.
    const { paths } = typeof body === "string" ? JSON.parse(body) : body;
    return roots.map((root) => paths[root]?.serverRelativeURL.replace(/\?.*/, ""));
  };
  // A real server completes the list some time after it is ready.
  await until("a whole list", async () => !(await listed()).includes(undefined), 20_000);
  expect(await listed()).toEqual(roots.map((root) => `/openapi/v3/${root}`));
});

test("every kind says that its server validates fields, and takes strategic merge patches", async () => {
  for (const kind of builtInKinds) {
    const { body } = await file.admin.get(`/openapi/v3/${rootOf(kind)}`);
    const path = `/${rootOf(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.plural}/{name}`;
    const { patch } = body.paths[path];
    expect([path, patch["x-kubernetes-group-version-kind"]]).toEqual([path, { group: kind.group, version: kind.version, kind: kind.kind }]);
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain("fieldValidation");
    expect(Object.keys(patch.requestBody.content)).toContain("application/strategic-merge-patch+json");
  }
});

const definition = {
  metadata: { name: "clocks.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "clocks", kind: "Clock" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "Tells the time.",
            properties: { spec: { type: "object", required: ["hands"], properties: { hands: { type: "integer", minimum: 1 } } } },
          },
        },
      },
    ],
  },
};

test("the schema of a custom kind is its definition's", async () => {
  await file.admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const ask = async () => (await file.admin.get("/openapi/v3/apis/example.com/v1")).body?.components?.schemas?.["com.example.v1.Clock"];
  const seen = await until("the schema of Clock", ask, 20_000);
  expect(seen.description).toBe("Tells the time.");
  expect(seen["x-kubernetes-group-version-kind"]).toEqual([{ group: "example.com", version: "v1", kind: "Clock" }]);
  expect(wordless(seen.properties)).toEqual({
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    spec: { type: "object", required: ["hands"], properties: { hands: { type: "integer", minimum: 1 } } },
  });
});
