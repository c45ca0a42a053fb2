import { describe } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { grpc, table } from "../testing/claim-cases.ts";
import { bound, driver, event, observedClaim, volume } from "../testing/objects.ts";

describe("a claim that changes its attributes", () => {
  const changes = (status: Parameters<typeof bound>[1] = {}, more: Partial<ObservedClaim> = {}) =>
    observedClaim(bound({ volumeAttributesClassName: "gold" }, status), {
      volume: found(volume()),
      attributesClass: found({ driverName: driver }),
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
    ["no sidecar has started", changes(), ["waiting", "no resizer has started to modify the volume to VolumeAttributesClass gold"]],
    [
      "the driver has started",
      changes(status("InProgress")),
      ["waiting", "the driver is modifying the volume to VolumeAttributesClass gold"],
    ],
    [
      "the driver rejects it",
      changes(status("Infeasible"), { events: [event("PersistentVolumeClaim", "VolumeModifyFailed", grpc("InvalidArgument"))] }),
      [
        "failed",
        "the volume could not be modified to VolumeAttributesClass gold: the driver rejects the parameters of the VolumeAttributesClass (InvalidArgument)",
        "another class",
      ],
    ],
    ["it is done", changes({ currentVolumeAttributesClassName: "gold" }), ["done", "nothing is waiting: the claim is bound"]],
  ]);
});
