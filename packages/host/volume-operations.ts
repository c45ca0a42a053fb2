import type { Message } from "@csi-sidecars/base";

/**
 * What happens to a volume or its snapshots; each is the work of one component. To bind a snapshot is to create or find its content, which the
 * driver's sidecar works on; to unbind it is to delete the content, or to let it go.
 */
export type VolumeOperation =
  | "create"
  | "delete"
  | "attach"
  | "detach"
  | "expand"
  | "modify"
  | "snapshot"
  | "deleteSnapshot"
  | "groupSnapshot"
  | "deleteGroupSnapshot"
  | "bindSnapshot"
  | "unbindSnapshot"
  | "bindGroupSnapshot"
  | "unbindGroupSnapshot";

/** What a component says about an operation that it is responsible for. `csi-sidecars why` reads it. */
export interface OperationReport {
  /** The controller capability that the driver needs for it, as the CSI spec spells it; absent where it is not a matter of one. */
  readonly capability?: string;
  /** Whether it is enough if the node service has a capability of that name. */
  readonly nodeMayDoIt?: boolean;
  /** The events that it emits about the object. */
  readonly events: readonly EventReason[];
  /** In the message of a failure that a retry will hardly cure: retries are delayed. */
  readonly infeasible?: Pick<Message, "isIn">;
  /** In the message of a failure that lasts as long as the volume is attached. */
  readonly stillAttached?: Pick<Message, "isIn">;
  /** In the message of a failure that lasts as long as pods use the volume. */
  readonly inUse?: Pick<Message, "isIn">;
}

/** An event as a component emits it, and what it means to the owner of the volume. */
export interface EventReason {
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  /** How far the operation is when the event is emitted. */
  readonly progress: "started" | "succeeded" | "failed";
  /** In plain words, without a full stop. Of a failure the cause follows. */
  readonly meaning: string;
  /** What to do if it stays so; of a failure that depends on its cause. */
  readonly remedy?: string;
}

/** What to do about a message that a component itself writes, into an event or a status; answers of drivers are not its own. */
export interface MessageRemedy {
  readonly messages: readonly Pick<Message, "isIn">[];
  readonly remedy: string;
}
