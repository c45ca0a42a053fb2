import type { Component } from "@csi-sidecars/host";
import { CSIDriver } from "@csi-sidecars/kube";
import type { ClusterReader } from "../access/read-cluster.ts";
import type { Row } from "./row.ts";

/** What the CSIDriver object tells Kubernetes about the driver, where that does not fit. */
export async function driverObjectRows(
  cluster: ClusterReader,
  driver: string,
  enabled: readonly Pick<Component, "name" | "operations">[],
): Promise<readonly Row[]> {
  const lookup = await cluster.get(CSIDriver, { name: driver });
  if (lookup.state === "missing") {
    return [
      {
        ...{ severity: "warning", area: "driver", message: `there is no CSIDriver object ${driver}: Kubernetes takes the defaults for it` },
        remedy:
          "create it as the driver's documentation says: without it volumes are attached, no pod is told of, and no capacity is looked at",
      },
    ];
  }
  const attacher = enabled.find(({ operations }) => operations?.attach);
  if (lookup.state !== "found" || lookup.value.spec.attachRequired !== false || !attacher) return [];
  return [
    {
      ...{ severity: "warning", area: "driver", who: attacher.name },
      message: `CSIDriver ${driver} says attachRequired: false: there is nothing to attach`,
      remedy: `leave this controller out with --controllers=*,-${attacher.name}, or recreate the object with attachRequired: true`,
    },
  ];
}
