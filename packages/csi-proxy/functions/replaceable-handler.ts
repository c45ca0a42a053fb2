/** The handler that the functions of a group call: the default one, unless a test puts a host API of its own below them. */
export interface ReplaceableHandler<HostApi, Handler> {
  current(): Handler;
  /** Lets the functions of the group use another host API. */
  useHostApi(hostApi: HostApi): void;
  /** Returns to the default. */
  resetHostApi(): void;
}

export function replaceableHandler<HostApi, Handler>(
  defaultHandler: () => Handler,
  handlerOn: (hostApi: HostApi) => Handler,
): ReplaceableHandler<HostApi, Handler> {
  let replacement: { readonly handler: Handler } | undefined;
  return {
    current: () => (replacement ? replacement.handler : defaultHandler()),
    useHostApi: (hostApi) => {
      replacement = { handler: handlerOn(hostApi) };
    },
    resetHostApi: () => {
      replacement = undefined;
    },
  };
}
