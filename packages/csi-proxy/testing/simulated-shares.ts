import type { OperationParameters } from "../powershell/executor.ts";
import { rootMappingPath } from "../smb/remote-path.ts";
import { type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";

/** Windows' codes for what the simulation refuses. */
const returnValue = { ok: 0, badNetworkName: 67, logonFailure: 1326, multipleConnections: 1219 } as const;

/** What a file server expects of those who map a share. */
export interface SimulatedShare {
  readonly username: string;
  password: string;
  isReachable: boolean;
}

/** A mapping on the simulated host. */
export interface SimulatedMapping {
  readonly username: string;
  readonly password: string;
  readonly requirePrivacy: boolean;
  /** `MSFT_SmbGlobalMapping.Status`: 0 is OK, 2 is disconnected. */
  status: number;
}

/** The shares of file servers that a simulated host can reach, and its own mappings of them. Windows keeps one mapping per share. */
export class SimulatedShares implements SimulatedPart {
  readonly #shares = new Map<string, SimulatedShare>();
  readonly #mappings = new Map<string, SimulatedMapping>();

  /** A file server offers a share: `\\host\share`. */
  add(path: string, { username = "", password = "" }: { readonly username?: string; readonly password?: string } = {}): SimulatedShare {
    const share = { username, password, isReachable: true };
    this.#shares.set(rootMappingPath(path), share);
    return share;
  }

  mapping(path: string): SimulatedMapping | undefined {
    return this.#mappings.get(rootMappingPath(path));
  }

  /** What happens to mappings when the node starts again, or its network was away for long. */
  disconnect(): void {
    for (const mapping of this.#mappings.values()) mapping.status = 2;
  }

  /** Whether a path of a share can be looked at with the credential that the share was mapped with. */
  isValid(path: string): boolean {
    const [share, mapping] = [this.#shares.get(rootMappingPath(path)), this.mapping(path)];
    if (!share?.isReachable || mapping?.status !== 0) return false;
    if (!accepts(share, mapping)) throw new SimulatedScriptError({ message: "Access is denied", category: "PermissionDenied", win32: 5 });
    return true;
  }

  readonly operations = {
    "smb.getMapping": ({ smbremotepath = "" }: OperationParameters) => {
      const mapping = this.#mappings.get(smbremotepath);
      return mapping ? { status: mapping.status } : null;
    },
    "smb.newMapping": (params: OperationParameters) => ({ returnValue: this.#create(params) }),
    "smb.removeMapping": ({ smbremotepath = "" }: OperationParameters) => {
      if (this.#mappings.delete(smbremotepath)) return { returnValue: returnValue.ok };
      throw new SimulatedScriptError({ message: `no mapping of ${smbremotepath}`, category: "ObjectNotFound" });
    },
  };

  #create({ smbremotepath = "", smbuser = "", smbpassword = "", require_privacy }: OperationParameters): number {
    const share = this.#shares.get(smbremotepath);
    if (!share?.isReachable) return returnValue.badNetworkName;
    if (this.#mappings.has(smbremotepath)) return returnValue.multipleConnections;
    const mapping = { username: smbuser, password: smbpassword, requirePrivacy: require_privacy === "true", status: 0 };
    if (!accepts(share, mapping)) return returnValue.logonFailure;
    this.#mappings.set(smbremotepath, mapping);
    return returnValue.ok;
  }
}

function accepts(share: SimulatedShare, mapping: SimulatedMapping): boolean {
  return share.username === mapping.username && share.password === mapping.password;
}
