import { expect, test } from "bun:test";
import { isNotFound, resource } from "@csi-sidecars/kube";
import { emptyCluster, inventory } from "./empty-cluster.ts";
import { startCluster } from "./start-cluster.ts";

const Definition = resource("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", { namespaced: false });
const Parcel = resource("example.com/v1", "parcels", "Parcel", { namespaced: true });

const parcels = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "parcels.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "parcels", singular: "parcel", kind: "Parcel", listKind: "ParcelList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

test("a custom kind takes its objects with it: they are not there again when the kind is", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  const listed = async () => {
    for (const end = Date.now() + 20_000; ; ) {
      try {
        return (await admin.list(Parcel)).items.map(({ metadata }) => metadata?.name);
      } catch (error) {
        if (!isNotFound(error) || Date.now() > end) throw error;
        await Bun.sleep(20);
      }
    }
  };
  const original = await inventory(admin);
  await admin.create(Definition, parcels);
  expect(await listed()).toEqual([]);
  for (const [name, finalizers] of Object.entries({ free: [], held: ["example.com/hold"] })) {
    await admin.create(Parcel, { apiVersion: "example.com/v1", kind: "Parcel", metadata: { name, namespace: "default", finalizers } });
  }

  await emptyCluster(admin, original);
  await admin.create(Definition, parcels);
  expect(await listed()).toEqual([]);
});
