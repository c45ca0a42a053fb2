import { type Logger, silentLogger } from "@csi-sidecars/base";
import type { CallOptions } from "../call-options.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { OperationOptions } from "../powershell/executor.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import type { IscsiHostApi, IscsiLogin } from "./host-api.ts";
import { checkedPortal, portalName } from "./target-portal.ts";
import type * as types from "./types.ts";

/** iSCSI targets of the node. Windows' service `MSiSCSI` must run. Experimental, as upstream's is. */
export class Iscsi {
  readonly #host: IscsiHostApi;
  readonly #log: Logger;
  readonly #requests: Requests;

  constructor(host: IscsiHostApi, options: HandlerOptions = {}) {
    this.#host = host;
    this.#log = (options.log ?? silentLogger).named("iscsi");
    this.#requests = new Requests("iscsi", options);
  }

  addTargetPortal({ targetPortal }: types.TargetPortalRequest, options?: CallOptions): Promise<types.IscsiEmptyResponse> {
    return this.#change("AddTargetPortal", { targetPortal }, options, (portal, options) => this.#host.addTargetPortal(portal, options));
  }

  discoverTargetPortal({ targetPortal }: types.TargetPortalRequest, options?: CallOptions): Promise<types.DiscoverTargetPortalResponse> {
    return this.#read("DiscoverTargetPortal", { targetPortal }, options, async (portal, options) => ({
      iqns: await this.#host.discoverTargetPortal(portal, options),
    }));
  }

  removeTargetPortal({ targetPortal }: types.TargetPortalRequest, options?: CallOptions): Promise<types.IscsiEmptyResponse> {
    return this.#change("RemoveTargetPortal", { targetPortal }, options, (portal, options) =>
      this.#host.removeTargetPortal(portal, options),
    );
  }

  listTargetPortals(_request: types.ListTargetPortalsRequest = {}, options?: CallOptions): Promise<types.ListTargetPortalsResponse> {
    return this.#requests.read({ method: "ListTargetPortals", v: 4 }, options, async (options) => ({
      targetPortals: await this.#host.listTargetPortals(options),
    }));
  }

  connectTarget(request: types.ConnectTargetRequest, options?: CallOptions): Promise<types.IscsiEmptyResponse> {
    const { targetPortal, iqn, authType, chapUsername, chapSecret } = request;
    return this.#change("ConnectTarget", { targetPortal, iqn, authType }, options, async (portal, options) => {
      const login = { authType: nameOfAuthType(authType), chapUsername, chapSecret };
      // Errors are logged with the fields of their request: the name of a user is for those who look closely.
      this.#log.v(4).info("Logging on", { iqn, chapUsername });
      await this.#host.connectTarget(portal, iqn, login, options);
    });
  }

  disconnectTarget({ targetPortal, iqn }: types.TargetRequest, options?: CallOptions): Promise<types.IscsiEmptyResponse> {
    return this.#change("DisconnectTarget", { targetPortal, iqn }, options, (portal, options) =>
      this.#host.disconnectTarget(portal, iqn, options),
    );
  }

  getTargetDisks({ targetPortal, iqn }: types.TargetRequest, options?: CallOptions): Promise<types.GetTargetDisksResponse> {
    return this.#read("GetTargetDisks", { targetPortal, iqn }, options, async (portal, options) => ({
      diskIds: await this.#host.getTargetDisks(portal, iqn, options),
    }));
  }

  setMutualChapSecret({ mutualChapSecret }: types.SetMutualChapSecretRequest, options?: CallOptions): Promise<types.IscsiEmptyResponse> {
    return this.#requests.read({ method: "SetMutualChapSecret", v: 4 }, options, async (options) => {
      await this.#host.setMutualChapSecret(mutualChapSecret, options);
      return {};
    });
  }

  #read<T>(
    method: string,
    { targetPortal, ...fields }: LoggedRequest,
    options: CallOptions | undefined,
    work: (portal: types.TargetPortal, options: OperationOptions) => Promise<T>,
  ): Promise<T> {
    return this.#requests.read({ method, v: 4, fields: { ...targetPortal, ...fields } }, options, async (options) =>
      work(checkedPortal(targetPortal), options),
    );
  }

  /** The response is empty; requests for one portal exclude each other. */
  #change(
    method: string,
    { targetPortal, ...fields }: LoggedRequest,
    options: CallOptions | undefined,
    work: (portal: types.TargetPortal, options: OperationOptions) => Promise<void>,
  ): Promise<types.IscsiEmptyResponse> {
    const key = () => `iscsi:${portalName(checkedPortal(targetPortal))}`;
    return this.#requests.change({ method, v: 4, fields: { ...targetPortal, ...fields } }, key, options, async (options) => {
      await work(checkedPortal(targetPortal), options);
      return {};
    });
  }
}

/** What of a request is logged. */
interface LoggedRequest extends types.TargetPortalRequest {
  readonly iqn?: string;
  readonly authType?: number;
}

const authTypes: readonly IscsiLogin["authType"][] = ["NONE", "ONEWAYCHAP", "MUTUALCHAP"];

function nameOfAuthType(authType: number): IscsiLogin["authType"] {
  const name = authTypes[authType];
  if (name === undefined) throw new CsiProxyError("InvalidArgument", `invalid authentication type authType=${authType}`);
  return name;
}
