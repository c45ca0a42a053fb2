import { controllersAnnotation } from "@csi-sidecars/host/sub-commands";
import { recordOf, sanitizeName, type V1Lease } from "@csi-sidecars/kube";

/** The sidecars that steps wait for, by the names of their components. */
export type Sidecar = "provisioner" | "attacher" | "resizer";

const legacy: Readonly<Record<Sidecar, (driver: string) => string>> = {
  provisioner: (driver) => sanitizeName(driver),
  attacher: (driver) => sanitizeName(`external-attacher-leader-${driver}`),
  resizer: (driver) => sanitizeName(`external-resizer-${driver}`),
};

const common = (driver: string) => sanitizeName(`csi-sidecars-${driver}`).toLowerCase();

/**
 * The names of the leases under which a sidecar of the driver may lead: the one of all together, and the one of its own program.
 * `chosen`: what was given in place of the first (`--leader-election-lease-name`).
 */
export function leaseNames(sidecar: Sidecar, driver: string, chosen?: string): readonly string[] {
  return [chosen ?? common(driver), legacy[sidecar](driver)];
}

/** Whether anybody leads as a sidecar, by the lease that says most. */
export type Leading =
  | { readonly state: "lives" | "silent"; readonly lease: V1Lease; readonly holder: string; readonly renewed: string }
  /** `renewed`: when its last holder let it go. */
  | { readonly state: "released"; readonly lease: V1Lease; readonly renewed: string }
  | { readonly state: "nobody" };

/** Clocks differ, and a lease may run out for a moment while it changes hands. */
const toleranceMs = 15_000;

export function leadingOf(sidecar: Sidecar, leases: readonly V1Lease[], now: number): Leading {
  const found = leases.filter((lease) => holds(lease, sidecar)).map((lease) => judge(lease, now));
  const order: readonly Leading["state"][] = ["lives", "silent", "released"];
  return found.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))[0] ?? { state: "nobody" };
}

/** A common lease says which components its holder runs; one that does not say is taken to run all. */
function holds({ metadata }: V1Lease, sidecar: Sidecar): boolean {
  return metadata?.annotations?.[controllersAnnotation]?.split(",").includes(sidecar) ?? true;
}

function judge(lease: V1Lease, now: number): Leading {
  const { holderIdentity: holder, renewTime: renewed = "", leaseDurationSeconds } = recordOf(lease);
  if (holder === "") return { state: "released", lease, renewed };
  const lives = Date.parse(renewed) + leaseDurationSeconds * 1000 + toleranceMs > now;
  return { state: lives ? "lives" : "silent", lease, holder, renewed };
}
