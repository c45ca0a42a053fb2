import type { OperationOptions } from "../powershell/executor.ts";
import type { TargetPortal } from "./types.ts";

/** How to log on to a target, in Windows' words. */
export interface IscsiLogin {
  readonly authType: "NONE" | "ONEWAYCHAP" | "MUTUALCHAP";
  readonly chapUsername: string;
  readonly chapSecret: string;
}

/** What the iscsi group does on the host. Ports are those that are used, never 0. */
export interface IscsiHostApi {
  /** Registers a portal; one that is registered stays as it is. */
  addTargetPortal(portal: TargetPortal, options?: OperationOptions): Promise<void>;
  /** The targets that a registered portal offers. */
  discoverTargetPortal(portal: TargetPortal, options?: OperationOptions): Promise<readonly string[]>;
  listTargetPortals(options?: OperationOptions): Promise<readonly TargetPortal[]>;
  removeTargetPortal(portal: TargetPortal, options?: OperationOptions): Promise<void>;
  /** Logs on to a target; one that is connected stays so. */
  connectTarget(portal: TargetPortal, iqn: string, login: IscsiLogin, options?: OperationOptions): Promise<void>;
  /** Ends all sessions of a target, also after the next start of the node. */
  disconnectTarget(portal: TargetPortal, iqn: string, options?: OperationOptions): Promise<void>;
  /** The numbers of the disks that a target provides; none if it is not connected. */
  getTargetDisks(portal: TargetPortal, iqn: string, options?: OperationOptions): Promise<readonly string[]>;
  setMutualChapSecret(secret: string, options?: OperationOptions): Promise<void>;
}
