import { expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { CSINode, Node } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { driverName } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";

const capabilities = { ...presets.minimal, plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"] } as const;
/** A label that every JavaScript object inherits. */
const key = "constructor";

async function addNode(world: ProvisionerWorld, name: string, labels: Readonly<Record<string, string>>): Promise<void> {
  await world.create(Node, { metadata: { name, labels } });
  await world.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [key] }] } });
}

test("a topology key named like what objects inherit is a label: a node without it has no place", async () => {
  await using world = await startWorld({ driver: { capabilities, topology: { [key]: "a" } } });
  await addNode(world, "node-a", { [key]: "a" });
  await addNode(world, "node-without", {});
  await world.createClass("fast");
  await world.createClaim("data");
  const { volume } = await world.bound("data");
  const [call] = world.driver.calls("CreateVolume");
  expect(call?.request.accessibilityRequirements?.requisite).toEqual([{ segments: { [key]: "a" } }]);
  expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([{ matchExpressions: [{ key, operator: "In", values: ["a"] }] }]);
});

test("parameters of the class reach the driver, and the volume's context reaches the volume, whatever their keys", async () => {
  const parameters = withInheritedNames("from-class");
  const context = withInheritedNames("from-driver");
  await using world = await startWorld({
    driver: {
      script: {
        CreateVolume: [
          step.reply((_, carryOut) => {
            const { volume } = carryOut();
            return { volume: volume && { ...volume, volumeContext: context } };
          }),
        ],
      },
    },
  });
  await world.createClass("fast", { parameters });
  await world.createClaim("data");
  const { volume } = await world.bound("data");
  expect(world.driver.calls("CreateVolume").map(({ request }) => request.parameters)).toEqual([parameters]);
  const attributes = Object.entries(volume.spec?.csi?.volumeAttributes ?? {});
  expect(attributes).toEqual(expect.arrayContaining(Object.entries(context)));
});
