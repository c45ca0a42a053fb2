import { type CsiProxy, createCsiProxy } from "../csi-proxy.ts";

let proxy: CsiProxy | undefined;

/** The handlers that all functions share. They are made when the first function is called. */
export function defaultProxy(): CsiProxy {
  proxy ??= createCsiProxy();
  return proxy;
}

/** Ends the PowerShell that the functions use. The next call starts it again. */
export async function close(): Promise<void> {
  const closing = proxy;
  proxy = undefined;
  await closing?.close();
}
