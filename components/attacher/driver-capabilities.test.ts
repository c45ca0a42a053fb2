import { describe, expect, test } from "bun:test";
import { CSINode, VolumeAttachment } from "@csi-sidecars/kube";
import { type Capabilities, presets, step } from "@csi-sidecars/testcluster";
import { finalizerName } from "./driver-capabilities.ts";
import { startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode } from "./testing/objects.ts";

const rpc = (...controller: Capabilities["controller"]): Capabilities => ({ ...presets.minimal, controller });
const publish = "PUBLISH_UNPUBLISH_VOLUME";
const csi = { handler: "csi", publishReadonly: false, singleNodeMultiWriter: false, listVolumesPublishedNodes: false };

describe("publishCapabilities", () => {
  test.each<[string, Capabilities, object]>([
    ["no controller service", presets.nodeOnly, { handler: "trivial" }],
    ["no publishing", rpc("CREATE_DELETE_VOLUME"), { handler: "trivial" }],
    ["listing alone", rpc("LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES"), { handler: "trivial" }],
    ["publishing", rpc(publish), csi],
    ["read-only publishing", rpc(publish, "PUBLISH_READONLY"), { ...csi, publishReadonly: true }],
    ["SINGLE_NODE_MULTI_WRITER", rpc(publish, "SINGLE_NODE_MULTI_WRITER"), { ...csi, singleNodeMultiWriter: true }],
    ["listing without nodes", rpc(publish, "LIST_VOLUMES"), csi],
    ["listing with nodes", rpc(publish, "LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES"), { ...csi, listVolumesPublishedNodes: true }],
  ])("%s", async (_what, capabilities, logged) => {
    await using world = await startWorld({ driver: { capabilities } });
    const line = world.log.lines.find(({ message }) => message === "Starting controllers");
    expect(line?.fields).toEqual({ driver: "csi.example.com", ...logged });
    expect(world.driver.calls("ControllerGetCapabilities")).toHaveLength(capabilities.plugin.length === 0 ? 0 : 1);
  });

  test("a driver that does not answer cannot be served", async () => {
    await using world = await startWorld({
      stopped: true,
      driver: { script: { ControllerGetCapabilities: [step.fail("Internal", "no")] } },
    });
    expect(await world.run().catch(String)).toBe("rpc error: code = Internal desc = no");
  });

  test("the nodes are known before the first attachment is reconciled", async () => {
    await using world = await startWorld({ stopped: true });
    await world.create(CSINode, csiNode());
    await world.create(VolumeAttachment, attachment({ spec: { source: { persistentVolumeName: "none" } } }));
    await world.run();
    await world.until((va) => va.status?.attachError?.message === 'persistentvolume "none" not found');
    expect(world.errors()).toEqual(['attach: persistentvolume "none" not found']);
  });
});

test.each([
  ["csi/test", "external-attacher/csi-test"],
  ["csi.example.com", "external-attacher/csi-example-com"],
  ["s!a@n#i$t(i%z^e&d*", "external-attacher/s-a-n-i-t-i-z-e-d-X"],
  ["trailing\\", "external-attacher/trailing-X"],
])("the finalizer of %s is %s", (driver, finalizer) => {
  expect(finalizerName(driver)).toBe(finalizer);
});
