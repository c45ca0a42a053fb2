import { controllersAnnotation } from "@csi-sidecars/host/sub-commands";
import { keyOf, recordOf, type V1Lease } from "@csi-sidecars/kube";
import { age } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";

/** Whoever is to lead, in words. */
export interface Leading {
  /** `the provisioner of driver csi.example.com` */
  readonly who: string;
  /** Where it runs. */
  readonly pods: string;
  /** What else to check if nobody holds the lease. */
  readonly withoutHolder: string;
  readonly withoutLease: Step;
}

interface Times {
  /** When it last reported something about the object, in milliseconds since the epoch; 0 for never. */
  readonly lastReportedAt: number;
  readonly now: number;
}

/** Whether a component leads. None where it leads in a way that leases do not show. */
export function leadershipSteps(leading: Leading, component: string, leases: readonly V1Lease[], times: Times): readonly Step[] {
  const leader = leaderOf(component, leases, times.now);
  return leadsElsewhere(leader, times) ? [] : [leadershipStep(leading, leader, times.now)];
}

/** Whether a component has a leader, by the lease that says most. */
type Leader =
  | { readonly state: "active" | "expired"; readonly lease: V1Lease; readonly holder: string; readonly renewed: string }
  /** `renewed`: when its last holder released it. */
  | { readonly state: "released"; readonly lease: V1Lease; readonly renewed: string }
  | { readonly state: "no lease" };

function leaderOf(component: string, leases: readonly V1Lease[], now: number): Leader {
  const leaders = leases.filter((lease) => includes(lease, component)).map((lease) => leaderBy(lease, now));
  const order: readonly Leader["state"][] = ["active", "expired", "released"];
  return leaders.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))[0] ?? { state: "no lease" };
}

/** A shared lease says which components its holder runs; one that does not say is assumed to run all. */
function includes({ metadata }: V1Lease, component: string): boolean {
  return metadata?.annotations?.[controllersAnnotation]?.split(",").includes(component) ?? true;
}

/** Clocks differ, and a lease may expire for a moment while it changes hands. */
const toleranceMs = 15_000;

function leaderBy(lease: V1Lease, now: number): Leader {
  const { holderIdentity: holder, renewTime: renewed = "", leaseDurationSeconds } = recordOf(lease);
  if (holder === "") return { state: "released", lease, renewed };
  const active = Date.parse(renewed) + leaseDurationSeconds * 1000 + toleranceMs > now;
  return { state: active ? "active" : "expired", lease, holder, renewed };
}

const recentlyMs = 10 * 60_000;

/** A sidecar that reported something after its lease expired or was released leads under an unknown lease name, or without a lease. */
function leadsElsewhere(leader: Leader, { lastReportedAt, now }: Times): boolean {
  if (leader.state === "active") return false;
  const ended = leader.state === "no lease" ? Number.NaN : Date.parse(leader.renewed) + 60_000;
  return lastReportedAt > (Number.isNaN(ended) ? now - recentlyMs : ended);
}

function leadershipStep({ who, pods, withoutHolder, withoutLease }: Leading, leader: Leader, now: number): Step {
  const checkPods = (namespace = "") => `check ${pods} in namespace ${namespace}`;
  switch (leader.state) {
    case "active":
      return step("done", `${who} runs: ${leader.holder} is the leader`, [leaseEvidence(leader)]);
    case "expired": {
      const ago = age(now, leader.renewed);
      return step(
        "failed",
        `${who} does not run: ${leader.holder} was the last leader and has not renewed its lease${ago ? ` for ${ago}` : ""}`,
        [leaseEvidence(leader)],
        checkPods(leader.lease.metadata?.namespace),
      );
    }
    case "released":
      return step(
        "waiting",
        `${who} does not run now: its lease has no holder`,
        [leaseEvidence(leader)],
        `${checkPods(leader.lease.metadata?.namespace)}${withoutHolder}`,
      );
    case "no lease":
      return withoutLease;
  }
}

function leaseEvidence(leader: Exclude<Leader, { state: "no lease" }>): Evidence {
  const object = `Lease ${keyOf(leader.lease)}`;
  if (leader.state === "released") return { object, field: "spec.holderIdentity", value: "empty" };
  return { object, field: "spec.renewTime", value: leader.renewed };
}
