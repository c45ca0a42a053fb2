import type { ScriptedDriver } from "@csi-sidecars/testcluster";

/** Tells whether a driver was ever asked to create the volume of a name; looks at each of its calls once. */
export function askedNames(driver: ScriptedDriver): (name: string) => boolean {
  const names = new Set<string>();
  let seen = 0;
  return (name) => {
    const calls = driver.calls();
    for (; seen < calls.length; seen++) {
      const call = calls[seen];
      if (call?.method === "CreateVolume") names.add(call.request.name);
    }
    return names.has(name);
  };
}
