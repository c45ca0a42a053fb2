import type { Registry } from "@csi-sidecars/base/prometheus";
import { namespace } from "./leadership-world.ts";

/** What a holder wrote that is not seen to renew. */
export const stale = (holderIdentity: string, change: object = {}) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: "2025-12-31T23:00:00.000000Z",
  renewTime: "2025-12-31T23:59:59.000000Z",
  leaseTransitions: 4,
  ...change,
});

/** What a holder wrote that gave its lease back. */
export const released = stale("", { leaseDurationSeconds: 1 });

/** The lines of the metric about legacy leases. */
export const heldLines = async (registry: Registry) =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith("csi_sidecars_legacy_lease_held{"));

/** What the user is told in mode `exit` and when a rollback is noticed. */
export const blockedText = (name: string, holder: string, sidecar: string) =>
  `legacy leader election lease ${namespace}/${name} is held by "${holder}" and still being renewed: scale down the deployment running the legacy ${sidecar}, then restart`;
