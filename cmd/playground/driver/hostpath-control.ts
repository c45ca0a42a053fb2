import { request } from "node:http";
import type { CallRecord } from "@csi-sidecars/hostpath";
import type { HostpathControl, HostpathSnapshot, HostpathVolume } from "./driver.ts";

/** A client of the control API. Its calls reject while the driver is down, and while it is stopped (`kill -STOP`). */
export function hostpathControl(socketPath: string, timeoutMs = 3_000): HostpathControl {
  const ask = <R>(method: "GET" | "PUT" | "POST", path: string, body?: unknown) =>
    new Promise<R>((resolve, reject) => {
      const asking = request({ socketPath, method, path }, async (response) => {
        try {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`the driver's control API answered ${response.statusCode}: ${text}`));
        } catch (error) {
          reject(error);
        }
      });
      asking.once("error", reject);
      asking.setTimeout(timeoutMs, () => asking.destroy(new Error(`the driver's control API did not answer within ${timeoutMs / 1000} s`)));
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
  interface State {
    readonly volumes: readonly HostpathVolume[];
    readonly snapshots: readonly HostpathSnapshot[];
  }
  const state = () => ask<State>("GET", "/state");
  return {
    volumes: async () => (await state()).volumes,
    snapshots: async () => (await state()).snapshots,
    calls: async (method) => (await ask<readonly CallRecord[]>("GET", "/calls")).filter((call) => call.method === method),
    rules: () => ask("GET", "/rules"),
    setRules: (rules) => ask("PUT", "/rules", rules),
    setAbnormal: (volume, message) => ask("POST", "/script/volume.condition", [volume, true, message]),
    resetCondition: (volume) => ask("POST", "/script/volume.resetCondition", [volume]),
  };
}
