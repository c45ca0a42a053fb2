import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { startCluster } from "../../cluster/start-cluster.ts";
import { builtInKinds } from "../../kinds/built-in.ts";
import { fileCluster } from "../testing/file-cluster.ts";

const file = fileCluster(() => startCluster());
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Resource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly verbs: readonly string[];
    readonly responseKind: { readonly kind: string };
  }[];
}
interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[]; readonly freshness: string }[];
}

async function ask(path: string, accept: string): Promise<{ type: string; kind: string; items: readonly Group[] }> {
  const { url, caPem, adminToken } = file.cluster;
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${adminToken}`, Accept: accept }, tls: { ca: caPem } });
  return { type: answer.headers.get("content-type") ?? "", ...JSON.parse(await answer.text()) };
}

test("clients that accept it get aggregated discovery, others the plain form", async () => {
  for (const accept of [
    aggregated,
    `${aggregated},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`,
  ]) {
    const { type, kind } = await ask("/apis", accept);
    expect([type.replaceAll(" ", ""), kind]).toEqual([aggregated, "APIGroupDiscoveryList"]);
  }
  expect((await ask("/api", "application/json")).kind).toBe("APIVersions");
  expect((await ask("/apis", "application/json")).kind).toBe("APIGroupList");
});

test("every kind is listed with its names, verbs and subresources", async () => {
  const groups = [...(await ask("/api", aggregated)).items, ...(await ask("/apis", aggregated)).items];
  for (const kind of builtInKinds) {
    const group = groups.find(({ metadata }) => (metadata.name ?? "") === kind.group);
    const version = group?.versions.find(({ version }) => version === kind.version);
    const told = version?.resources.find(({ resource }) => resource === kind.plural);
    expect([kind.plural, version?.freshness, told?.responseKind.kind, told?.scope, told?.singularResource]).toEqual([
      kind.plural,
      "Current",
      kind.kind,
      kind.namespaced ? "Namespaced" : "Cluster",
      kind.singular,
    ]);
    expect([kind.plural, told?.shortNames ?? [], told?.categories ?? []]).toEqual([
      kind.plural,
      [...kind.shortNames],
      [...kind.categories],
    ]);
    expect(told?.verbs.toSorted().join()).toBe(
      `create,delete,${kind.deletesOneByOne ? "" : "deletecollection,"}get,list,patch,update,watch`,
    );
    const status = told?.subresources?.find(({ subresource }) => subresource === "status");
    expect([kind.plural, status?.verbs.join()]).toEqual([kind.plural, kind.status ? "get,patch,update" : undefined]);
  }
});

test("a custom resource is listed soon after its definition", async () => {
  await file.admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "bells.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "bells", kind: "Bell", shortNames: ["be"], categories: ["all", "loud"] },
      versions: [
        { name: "v1", served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  const find = async () => (await ask("/apis", aggregated)).items.find(({ metadata }) => metadata.name === "example.com");
  const [bell] = (await until("example.com is told", find, 20_000)).versions[0]?.resources ?? [];
  const told: Readonly<Record<string, unknown>> = { ...bell, verbs: bell?.verbs.toSorted() };
  expect(told).toEqual({
    resource: "bells",
    responseKind: { group: "example.com", version: "v1", kind: "Bell" },
    scope: "Namespaced",
    singularResource: "bell",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames: ["be"],
    categories: ["all", "loud"],
    subresources: [
      { subresource: "status", responseKind: { group: "example.com", version: "v1", kind: "Bell" }, verbs: ["get", "patch", "update"] },
    ],
  });
});
