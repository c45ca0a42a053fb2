import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { definitions } from "../testing/fixtures.ts";
import { outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));

const [first] = snapshotDefinitions;
if (!first) throw new Error("there are no definitions");
const { metadata, spec } = first;
const others = { ...spec, names: { kind: "Other", plural: "others" } };
const other = { ...first, metadata: { ...metadata, name: "others.snapshot.storage.k8s.io" }, spec: others };
const invalid = '422 Invalid: CustomResourceDefinition.apiextensions.k8s.io "others.snapshot.storage.k8s.io" is invalid: ';

test("the API server asks for the approval of an API in a group of its own", async () => {
  const bare = { ...other, metadata: { name: other.metadata.name } };
  expect(outcomeOf(await file.admin.post(definitions, bare))).toBe(
    `${invalid}metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`,
  );
  // A controller of the server writes this condition, once.
  const { reason } = await until("the condition about the approval", async () => {
    const { body } = await file.admin.get(`${definitions}/${metadata.name}`);
    const conditions: { type: string; status: string; reason: string }[] = body.status.conditions;
    return conditions.find(({ type, status }) => type === "KubernetesAPIApprovalPolicyConformant" && status === "True");
  });
  expect(reason).toBe("ApprovedAnnotation");
});

const forbidden = (i: number) =>
  `spec.versions[${i}].schema.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`;

test("nothing can be said about metadata", async () => {
  const versions = others.versions.map((version) => ({
    ...version,
    schema: {
      openAPIV3Schema: {
        ...version.schema.openAPIV3Schema,
        properties: { ...version.schema.openAPIV3Schema.properties, metadata: { type: "object", description: "names" } },
      },
    },
  }));
  expect(outcomeOf(await file.admin.post(definitions, { ...other, spec: { ...others, versions } }))).toBe(
    `${invalid}[${forbidden(0)}, ${forbidden(1)}]`,
  );
});

const served = snapshotDefinitions.flatMap(({ spec: { group, names, versions } }) =>
  versions.filter((version) => version.served).map((version) => [names.kind, version.name, group, version.schema.openAPIV3Schema] as const),
);

test.each(served)("kubectl explain finds the descriptions of %s %s", async (kind, version, group, schema) => {
  const name = [...group.split(".").reverse(), version, kind].join(".");
  const document = `/openapi/v3/apis/${group}/${version}`;
  // A real server publishes a schema some time after it serves the kind.
  const published = await until(
    `the schema of ${name}`,
    async () => (await file.admin.get(document)).body.components?.schemas?.[name],
    20_000,
  );
  const { apiVersion: _type, kind: _kind, metadata: _metadata, ...fields } = schema.properties ?? {};
  const described = Object.fromEntries(Object.keys(fields).map((field) => [field, published.properties[field]]));
  expect(published.description).toBe(schema.description);
  expect(descriptionsIn(described)).toEqual(descriptionsIn(fields));
});

/** What values and the values in them say that they are for, by their paths. */
function descriptionsIn(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "description" in value && typeof value.description === "string" ? [`${path}: ${value.description}`] : [];
  return [...own, ...Object.entries(value).flatMap(([name, member]) => descriptionsIn(member, `${path}.${name}`))].sort();
}

test("a version that objects may be stored in cannot be dropped", async () => {
  const [group] = snapshotDefinitions.filter(({ spec: { names } }) => names.kind === "VolumeGroupSnapshotClass");
  const path = `${definitions}/${group?.metadata.name}`;
  const { body: stored } = await file.admin.get(path);
  expect(stored.status.storedVersions).toEqual(["v1beta2"]);
  const storing = (version: string, names: readonly string[]) => ({
    spec: {
      versions: group?.spec.versions.filter(({ name }) => names.includes(name)).map((one) => ({ ...one, storage: one.name === version })),
    },
  });
  const moved = await file.admin.merge(path, storing("v1", ["v1", "v1beta1", "v1beta2"]));
  expect([outcomeOf(moved), moved.body.status.storedVersions]).toEqual(["200", ["v1beta2", "v1"]]);
  expect(outcomeOf(await file.admin.merge(path, storing("v1", ["v1"])))).toBe(
    `422 Invalid: CustomResourceDefinition.apiextensions.k8s.io "${group?.metadata.name}" is invalid: status.storedVersions[0]: Invalid value: "v1beta2": missing from spec.versions; v1beta2 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1beta2 and removes v1beta2 from status.storedVersions`,
  );
  expect(
    outcomeOf(await file.admin.request("PATCH", `${path}/status`, { status: { storedVersions: ["v1"] } }, "application/merge-patch+json")),
  ).toBe("200");
  expect(outcomeOf(await file.admin.merge(path, storing("v1", ["v1"])))).toBe("200");
});
