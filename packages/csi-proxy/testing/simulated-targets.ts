import type { OperationParameters } from "../powershell/executor.ts";
import type { AttachedDisk, SimulatedDisks } from "./simulated-disks.ts";
import { type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";

/** Windows' codes for what the simulation refuses. */
const returnValue = { ok: 0, authenticationFailure: 24, targetNotFound: 33 } as const;

/** A target of a storage array, and what it expects of those who log on. */
export interface SimulatedTarget {
  readonly iqn: string;
  readonly disk: AttachedDisk;
  readonly chapUsername?: string;
  readonly chapSecret?: string;
  /** What the target proves itself with: the node must know it. */
  readonly mutualChapSecret?: string;
}

interface Session {
  readonly id: string;
  readonly diskNumber: number;
  isPersistent: boolean;
}

/** iSCSI targets that a simulated host can reach. A disk is attached to it for as long as it is logged on. */
export class SimulatedTargets implements SimulatedPart {
  readonly #disks: SimulatedDisks;
  readonly #offered = new Map<string, readonly SimulatedTarget[]>();
  readonly #registered = new Map<string, { readonly address: string; readonly port: number }>();
  readonly #sessions = new Map<string, Session[]>();
  #mutualChapSecret = "";
  #nextSession = 1;

  constructor(disks: SimulatedDisks) {
    this.#disks = disks;
  }

  /** A storage array offers targets on a portal. */
  offer(address: string, port: number, targets: readonly SimulatedTarget[]): void {
    this.#offered.set(`${address}:${port}`, targets);
  }

  readonly operations = {
    "iscsi.listPortals": () => [...this.#registered.values()],
    "iscsi.newPortal": (params: OperationParameters) => {
      const { iscsi_tp_address: address = "", iscsi_tp_port: port = "" } = params;
      this.#registered.set(portalOf(params), { address, port: Number(port) });
      return { returnValue: returnValue.ok };
    },
    "iscsi.removePortal": (params: OperationParameters) => {
      if (this.#registered.delete(portalOf(params))) return { returnValue: returnValue.ok };
      throw new SimulatedScriptError({ message: `no portal ${portalOf(params)}`, category: "ObjectNotFound" });
    },
    "iscsi.targets": (params: OperationParameters) => {
      if (!this.#registered.has(portalOf(params))) return null;
      const targets = this.#offered.get(portalOf(params)) ?? [];
      return targets.map(({ iqn }) => ({ nodeAddress: iqn, isConnected: (this.#sessions.get(iqn) ?? []).length > 0 }));
    },
    "iscsi.connect": (params: OperationParameters) => ({ returnValue: this.#connect(params) }),
    "iscsi.sessions": ({ iscsi_target_iqn = "" }: OperationParameters) =>
      (this.#sessions.get(iscsi_target_iqn) ?? []).map(({ id, isPersistent }) => ({ sessionIdentifier: id, isPersistent })),
    "iscsi.unregister": ({ iscsi_session_id }: OperationParameters) => {
      for (const session of [...this.#sessions.values()].flat()) if (session.id === iscsi_session_id) session.isPersistent = false;
      return { returnValue: returnValue.ok };
    },
    "iscsi.disconnect": ({ iscsi_target_iqn = "", iscsi_session_id }: OperationParameters) => {
      const sessions = this.#sessions.get(iscsi_target_iqn) ?? [];
      for (const { id, diskNumber } of sessions) if (id === iscsi_session_id) this.#disks.detach(diskNumber);
      this.#sessions.set(
        iscsi_target_iqn,
        sessions.filter(({ id }) => id !== iscsi_session_id),
      );
      return { returnValue: returnValue.ok };
    },
    "iscsi.targetDisks": ({ iscsi_target_iqn = "" }: OperationParameters) =>
      (this.#sessions.get(iscsi_target_iqn) ?? []).map(({ diskNumber }) => diskNumber),
    "iscsi.setChapSecret": ({ iscsi_mutual_chap_secret = "" }: OperationParameters) => {
      this.#mutualChapSecret = iscsi_mutual_chap_secret;
      return { returnValue: returnValue.ok };
    },
  };

  #connect(params: OperationParameters): number {
    const { iscsi_target_iqn: iqn = "", iscsi_auth_type: authType = "", iscsi_chap_user = "", iscsi_chap_secret = "" } = params;
    const target = (this.#offered.get(portalOf(params)) ?? []).find((target) => target.iqn === iqn);
    if (!target) return returnValue.targetNotFound;
    const { chapUsername = "", chapSecret = "", mutualChapSecret = "" } = target;
    const isKnown = authType === "NONE" ? chapSecret === "" : iscsi_chap_user === chapUsername && iscsi_chap_secret === chapSecret;
    const isTrusted = authType !== "MUTUALCHAP" || mutualChapSecret === this.#mutualChapSecret;
    if (!isKnown || !isTrusted) return returnValue.authenticationFailure;
    const { number } = this.#disks.attach(target.disk);
    const session = { id: `session-${this.#nextSession++}`, diskNumber: number, isPersistent: true };
    this.#sessions.set(iqn, [...(this.#sessions.get(iqn) ?? []), session]);
    return returnValue.ok;
  }
}

function portalOf({ iscsi_tp_address = "", iscsi_tp_port = "" }: OperationParameters): string {
  return `${iscsi_tp_address}:${iscsi_tp_port}`;
}
