import type { Logger } from "@csi-sidecars/base";
import {
  ControllerDefinition,
  GroupControllerDefinition,
  IdentityDefinition,
  NodeDefinition,
  SnapshotMetadataDefinition,
} from "../gen/csi.ts";
import type { Channel } from "../grpc/channel.ts";
import type { CallOptions } from "../grpc/client-call.ts";
import { type Interceptor, type ServiceClient, serviceClient } from "../grpc/service-client.ts";
import { redactErrors } from "./redact-errors.ts";

/** What a caller may say about one call to a CSI driver. */
export interface DriverCallOptions extends CallOptions {
  /** Whether the call serves a volume of the in-tree plugin that this driver replaced: a label of its metric. */
  readonly migrated?: boolean;
  /** Values of varying metric labels. */
  readonly metricLabels?: Readonly<Record<string, string>>;
  /** The claim whose volume is created, `namespace/name`: the request names only the volume. */
  readonly claim?: string;
  /** Whose log the call's lines belong to; the connection's own when not given. */
  readonly log?: Logger;
}

/** The services that a driver may have, by the names that {@link DriverClient} gives them. */
export const driverServices = {
  identity: IdentityDefinition,
  controller: ControllerDefinition,
  groupController: GroupControllerDefinition,
  snapshotMetadata: SnapshotMetadataDefinition,
  node: NodeDefinition,
} as const;

/**
 * Every method of every CSI service.
 *
 * ```ts
 * const { volume } = await driver.controller.createVolume({ name: "pvc-1" }, { timeoutMs: 15_000, signal });
 * ```
 */
export type DriverClient = { readonly [K in keyof typeof driverServices]: ServiceClient<(typeof driverServices)[K], DriverCallOptions> };

/** The CSI services on a channel. No error of theirs has a secret of the request in it. */
export function driverClient(channel: Channel, interceptors: readonly Interceptor<DriverCallOptions>[] = []): DriverClient {
  const clients = Object.entries(driverServices).map(([name, definition]) => [
    name,
    serviceClient(definition, channel, interceptors, redactErrors),
  ]);
  return Object.fromEntries(clients) as DriverClient;
}
