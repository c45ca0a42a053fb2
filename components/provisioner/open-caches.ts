import type { View } from "@csi-sidecars/kube";
import type { DriverFacts } from "./driver-facts.ts";
import {
  attachmentFields,
  claimFields,
  classFields,
  migratedVolumeFields,
  placedVolumeFields,
  type Volume,
  volumeFields,
} from "./fields.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import type { OwnNode } from "./node/own-node.ts";
import { clusterTopologies } from "./topology/cluster-topologies.ts";
import { csiNodeFields, nodeFields, singleNode, type WatchedTopologies } from "./topology/node-topologies.ts";
import type { Views } from "./watch-objects.ts";

/** Of volumes no more is cached than this driver, deployed like this, asks for. */
export function openViews({ informers, flags }: ProvisionerComponentContext, facts: DriverFacts, own: OwnNode | undefined): Views {
  const volumes = (): View<Volume> => {
    if (facts.inTreeName !== undefined) return informers.forFields(migratedVolumeFields);
    return own || flags.enableCapacity ? informers.forFields(placedVolumeFields) : informers.forFields(volumeFields);
  };
  return {
    claims: informers.forFields(claimFields),
    volumes: volumes(),
    classes: informers.forFields(classFields),
    attachments: facts.publishesVolumes ? informers.forFields(attachmentFields) : undefined,
  };
}

/** Where volumes may be, if somebody asks; an instance of a node deployment knows its own node only. */
export function openTopologies(
  { informers, driver, flags }: ProvisionerComponentContext,
  facts: DriverFacts,
  own: OwnNode | undefined,
): WatchedTopologies | undefined {
  if (!facts.topology && !flags.enableCapacity) return undefined;
  if (own) return singleNode(own.name, own.labels);
  return clusterTopologies(driver.name, informers.forFields(csiNodeFields), informers.forFields(nodeFields));
}
