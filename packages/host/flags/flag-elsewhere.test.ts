import { describe, expect, test } from "bun:test";
import { flagElsewhere } from "./flag-elsewhere.ts";
import { allInOne, components } from "./testing/components.ts";

const [attacher, ...rest] = components;
if (!attacher) throw new Error("no components");
const others = rest.map((owner) => ({ program: `csi-${owner.name}`, owner }));

describe("a flag that the program does not have", () => {
  test.each([
    ["attacher-capacity-poll-interval", "did you mean --provisioner-capacity-poll-interval?"],
    ["attacher-extra-create-metadata", "did you mean --provisioner-extra-create-metadata or --snapshotter-extra-create-metadata?"],
    ["attacher-kubeconfig", "--kubeconfig applies to all controllers"],
    ["attacher-nonsense", undefined],
    ["nonsense", undefined],
  ])("all-in-one, --%s: %p", (name, hint) => {
    expect(flagElsewhere(allInOne, name)).toBe(hint);
  });

  test.each([
    ["extra-create-metadata", "a flag of csi-provisioner and csi-snapshotter, not of csi-attacher"],
    ["controllers", "a flag of csi-sidecars, not of csi-attacher"],
    ["nonsense", undefined],
  ])("individual, --%s: %p", (name, hint) => {
    expect(flagElsewhere({ form: "individual", name: "csi-attacher", component: attacher, others }, name)).toBe(hint);
  });
});
