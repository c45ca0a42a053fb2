import { request } from "node:http";
import type { CallRecord, FaultRule } from "@csi-sidecars/hostpath";

/** A volume as the driver remembers it. */
export interface HostpathVolume {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly attachments: readonly { readonly nodeId: string }[];
}

/** The back door of the driver: what it has, what it was asked, and how to make it misbehave. */
export interface HostpathControl {
  volumes(): Promise<readonly HostpathVolume[]>;
  calls(method: string): Promise<readonly CallRecord[]>;
  setRules(rules: readonly FaultRule[]): Promise<void>;
}

/** Talks to the control API at the path of its socket; rejects while the driver does not run. */
export function hostpathControl(socketPath: string): HostpathControl {
  const ask = <R>(method: "GET" | "PUT", path: string, body?: unknown) =>
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
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    volumes: async () => (await ask<{ volumes: readonly HostpathVolume[] }>("GET", "/state")).volumes,
    calls: async (method) => (await ask<readonly CallRecord[]>("GET", "/calls")).filter((call) => call.method === method),
    setRules: (rules) => ask("PUT", "/rules", rules),
  };
}
