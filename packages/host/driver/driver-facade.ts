import { type DriverCallOptions, type DriverClient, driverServices } from "@csi-sidecars/csi";

/** What a facade does before each call. */
export interface BeforeCall {
  /** The options to call with; throwing refuses the call. */
  options(method: string, given: DriverCallOptions): DriverCallOptions;
  /** The client to call, as soon as there is one. */
  client(options: DriverCallOptions): Promise<DriverClient>;
  /** Follows the answer of a unary call. */
  watch<T>(answer: Promise<T>): Promise<T>;
}

/** All methods of a driver, each going through `before`. */
export function driverFacade(before: BeforeCall): DriverClient {
  const facades = Object.entries(driverServices).map(([service, { methods }]) => {
    const calls = Object.entries(methods).map(([key, method]) => {
      const find = async (given: DriverCallOptions) => methodOf(await before.client(given), service, key);
      const unary = async (request: object, given: DriverCallOptions = {}) => {
        const options = before.options(key, given);
        const call = await find(options);
        // Asked again: leadership may have ended while the driver was waited for.
        return call(request, before.options(key, given));
      };
      if (!method.responseStream) {
        return [key, (request: object, given?: DriverCallOptions) => before.watch(unary(request, given))] as const;
      }
      const stream = async function* (request: object, given: DriverCallOptions = {}) {
        const call = await find(before.options(key, given));
        yield* call(request, given) as AsyncIterable<object>;
      };
      return [key, stream] as const;
    });
    return [service, Object.fromEntries(calls)] as const;
  });
  return Object.fromEntries(facades) as DriverClient;
}

type Method = (request: object, options: DriverCallOptions) => unknown;

function methodOf(client: DriverClient, service: string, key: string): Method {
  const methods: Readonly<Record<string, Readonly<Record<string, unknown>>>> = client;
  return methods[service]?.[key] as Method;
}

/** Whether a call changes nothing: it may be made without being certain of leadership. */
export function isHarmless(method: string): boolean {
  return /^(?:groupController|controller|node)?(?:get|list|probe|validate)/i.test(method);
}
