import type { Clock } from "@csi-sidecars/base";
import { Controller } from "@csi-sidecars/controller";
import { type Client, itemExponential, type View } from "@csi-sidecars/kube";
import type { HealthEvents } from "../events.ts";
import { type Node, nodeFields, ownedClaimFields, podFields, volumeFields } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import type { HealthContext } from "../health-context.ts";
import { indexByClaim, indexByNode, type NodeCaches } from "./claims-on-node.ts";
import { nodeMetrics } from "./node-metrics.ts";
import type { Outage } from "./plan-node.ts";

/** What watching nodes needs. */
export interface NodeContext extends NodeCaches {
  readonly nodes: View<Node>;
  /** Nodes that are down, by name. */
  readonly outages: Map<string, Outage>;
  /** `--node-not-ready-duration` */
  readonly notReadyLimitMs: number;
  /** Its keys are names of nodes. */
  readonly controller: Controller;
  readonly kube: Client;
  readonly events: HealthEvents;
  readonly clock: Clock;
}

/** Begins to watch nodes and pods. */
export function nodeContext(
  context: HealthMonitorComponentContext,
  { driver, kube, outages, events, clock, log }: HealthContext,
): NodeContext {
  const { informers, flags } = context;
  const nodes = informers.forFields(nodeFields);
  const pods = informers.forFields(podFields);
  const volumes = informers.forFields(volumeFields);
  const claims = informers.forFields(ownedClaimFields);
  indexByNode(pods);
  indexByClaim(volumes, driver.name);
  const controller = new Controller(context, {
    name: "csi-health-monitor-node",
    rateLimiter: itemExponential(1_000, 60_000),
    workers: 1,
    waitFor: [nodes, pods, volumes, claims],
  });
  nodeMetrics(context.metrics, driver.name, outages);
  return {
    driver,
    nodes,
    pods,
    volumes,
    claims,
    outages,
    notReadyLimitMs: flags.nodeNotReadyDuration,
    controller,
    kube,
    events,
    clock,
    log,
  };
}
