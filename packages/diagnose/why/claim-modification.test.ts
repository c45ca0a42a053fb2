import { describe } from "bun:test";
import type { ClaimFacts } from "./facts.ts";
import { missing, seen } from "./look.ts";
import { grpc, table } from "./testing/claim-cases.ts";
import { bound, claimFacts, driver, event, volume } from "./testing/objects.ts";

describe("a claim that changes its attributes", () => {
  const changes = (status: Parameters<typeof bound>[1] = {}, more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({ volumeAttributesClassName: "gold" }, status), {
      volume: seen(volume()),
      attributesClass: seen({ driverName: driver }),
      ...more,
    });
  const status = (word: "Pending" | "InProgress" | "Infeasible") => ({
    modifyVolumeStatus: { status: word, targetVolumeAttributesClassName: "gold" },
  });
  table([
    [
      "the class does not exist",
      changes(status("Pending"), { attributesClass: missing }),
      ["failed", "the claim names VolumeAttributesClass gold, which does not exist"],
    ],
    ["nobody took it up", changes(), ["waiting", "no resizer has taken up the change of the volume to gold"]],
    ["the driver is at it", changes(status("InProgress")), ["waiting", "the driver is changing the volume to gold"]],
    [
      "the driver said no",
      changes(status("Infeasible"), { events: [event("PersistentVolumeClaim", "VolumeModifyFailed", grpc("InvalidArgument"))] }),
      [
        "failed",
        "the volume could not be changed to gold: the driver refuses the parameters of the VolumeAttributesClass (InvalidArgument)",
        "another class",
      ],
    ],
    ["it is done", changes({ currentVolumeAttributesClassName: "gold" }), ["done", "nothing is waiting: the claim is bound"]],
  ]);
});
