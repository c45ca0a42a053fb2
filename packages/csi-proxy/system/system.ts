import type { CallOptions } from "../call-options.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import type { SystemHostApi } from "./host-api.ts";
import type * as types from "./types.ts";

/** The node itself: its BIOS and its services, of which `MSiSCSI` is the one that drivers start. */
export class System {
  readonly #host: SystemHostApi;
  readonly #requests: Requests;

  constructor(host: SystemHostApi, options: HandlerOptions = {}) {
    this.#host = host;
    this.#requests = new Requests("system", options);
  }

  getBiosSerialNumber(_request: types.GetBiosSerialNumberRequest = {}, options?: CallOptions): Promise<types.GetBiosSerialNumberResponse> {
    return this.#requests.read({ method: "GetBIOSSerialNumber", v: 4 }, options, async (options) => ({
      serialNumber: await this.#host.getBiosSerialNumber(options),
    }));
  }

  getService({ name }: types.GetServiceRequest, options?: CallOptions): Promise<types.GetServiceResponse> {
    return this.#requests.read({ method: "GetService", v: 4, fields: { name } }, options, async (options) => {
      checkName(name);
      return this.#host.getService(name, options);
    });
  }

  startService({ name }: types.StartServiceRequest, options?: CallOptions): Promise<types.StartServiceResponse> {
    return this.#requests.change({ method: "StartService", v: 4, fields: { name } }, lockKey(name), options, async (options) => {
      checkName(name);
      await this.#host.startService(name, options);
      return {};
    });
  }

  stopService({ name, force = false }: types.StopServiceRequest, options?: CallOptions): Promise<types.StopServiceResponse> {
    return this.#requests.change({ method: "StopService", v: 4, fields: { name, force } }, lockKey(name), options, async (options) => {
      checkName(name);
      await this.#host.stopService(name, force, options);
      return {};
    });
  }
}

/** Windows compares names of services without regard to case. */
function lockKey(name: string): string {
  return `service:${(name ?? "").toLowerCase()}`;
}

function checkName(name: string): void {
  if (!name) throw new CsiProxyError("InvalidArgument", "service name is empty");
}
