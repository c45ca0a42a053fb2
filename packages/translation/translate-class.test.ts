import { describe, expect, test } from "bun:test";
import type { V1StorageClass } from "@csi-sidecars/kube";
import { inTreeNameOf } from "./plugins.ts";
import { drivers } from "./testing/drivers.ts";
import { translateClass } from "./translate-class.ts";

type Class = Pick<V1StorageClass, "provisioner" | "parameters" | "allowedTopologies">;
const classWith = (parts: Partial<Class>): Class => ({ provisioner: "kubernetes.io/in-tree", ...parts });

const { gce, aws, cinder, disk, file, vsphere, portworx } = drivers;
const fsType = "csi.storage.k8s.io/fstype";

describe("a class of the plugin that a driver replaced", () => {
  const allowed = (key: string, ...values: string[]) => [{ matchLabelExpressions: [{ key, values }] }];
  test.each<[string, string, Partial<Class>, Partial<Class>]>([
    [
      "gce",
      gce,
      { parameters: { fsType: "xfs", Zones: "a,b", type: "pd-ssd" } },
      { parameters: { [fsType]: "xfs", type: "pd-ssd" }, allowedTopologies: allowed("topology.gke.io/zone", "a", "b") },
    ],
    ["aws", aws, { parameters: { iopsPerGB: "5" } }, { parameters: { iopsPerGB: "5", allowautoiopspergbincrease: "true" } }],
    [
      "aws, allowed topologies",
      aws,
      { parameters: {}, allowedTopologies: allowed("topology.kubernetes.io/zone", "a") },
      { parameters: {}, allowedTopologies: allowed("topology.ebs.csi.aws.com/zone", "a") },
    ],
    [
      "aws, zones",
      aws,
      { parameters: { zones: "a,b" } },
      { parameters: {}, allowedTopologies: allowed("topology.ebs.csi.aws.com/zone", "a", "b") },
    ],
    [
      "aws, allowed topologies by the older label and by another one",
      aws,
      { parameters: {}, allowedTopologies: [...allowed("failure-domain.beta.kubernetes.io/zone", "a"), ...allowed("rack", "r")] },
      { parameters: {}, allowedTopologies: [...allowed("topology.ebs.csi.aws.com/zone", "a"), ...allowed("rack", "r")] },
    ],
    ["cinder", cinder, { parameters: { fstype: "xfs", zone: "z" } }, { parameters: { [fsType]: "xfs", zone: "z" } }],
    [
      "azure disk",
      disk,
      { parameters: { fstype: "xfs", zone: "1" } },
      { parameters: { fstype: "xfs" }, allowedTopologies: allowed("topology.disk.csi.azure.com/zone", "") },
    ],
    ["azure file", file, { parameters: { skuName: "x" } }, { parameters: { skuName: "x" } }],
    [
      "vsphere",
      vsphere,
      { parameters: { diskformat: "thin", fstype: "xfs", other: "gone" } },
      { parameters: { "diskformat-migrationparam": "thin", [fsType]: "xfs", csimigration: "true" } },
    ],
  ])("%s", (_, driver, given, expected) => {
    expect(translateClass(classWith(given), driver).value).toEqual({ ...classWith(given), ...expected } as Class);
  });

  test("portworx: its secret is for everything, and the class is the driver's", () => {
    const { value } = translateClass(classWith({ parameters: { "openstorage.io/auth-secret-name": "s" } }), portworx);
    expect(value?.provisioner).toBe(portworx);
    expect(Object.keys(value?.parameters ?? {})).toHaveLength(6);
    expect(value?.parameters?.["csi.storage.k8s.io/node-stage-secret-name"]).toBe("s");
  });

  test("zones and allowed topologies exclude each other", () => {
    const both = classWith({ parameters: { zone: "a" }, allowedTopologies: allowed("topology.kubernetes.io/zone", "a") });
    expect(translateClass(both, gce).error).toBe("cannot simultaneously set allowed topologies and zone/zones parameters");
  });

  test("only drivers of the table have an in-tree name", () => {
    expect([inTreeNameOf(aws), inTreeNameOf("constructor"), inTreeNameOf("driver.example.com")]).toEqual([
      "kubernetes.io/aws-ebs",
      undefined,
      undefined,
    ]);
  });
});
