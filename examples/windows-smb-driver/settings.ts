import { parseArgs } from "node:util";
import { messageOf } from "@csi-sidecars/base";

export interface Settings {
  /** Where the driver listens: `unix://C:\var\lib\kubelet\plugins\smb.example.com\csi.sock`. */
  readonly endpoint: string;
  /** The name of the node in Kubernetes. */
  readonly nodeId: string;
  readonly driverName: string;
  /** Whether shares are only used encrypted. */
  readonly requirePrivacy: boolean;
  readonly verbosity: number;
}

export const usage = `usage: windows-smb-driver --endpoint=unix://C:\\path\\csi.sock [options]
  --endpoint         where the driver listens
  --node-id          name of the node; default: the variable NODE_NAME
  --driver-name      default: smb.example.com
  --allow-plaintext  use shares of file servers that do not encrypt
  --v                how much is logged: 0 to 8
`;

const options = {
  endpoint: { type: "string", default: "" },
  "node-id": { type: "string" },
  "driver-name": { type: "string", default: "smb.example.com" },
  "allow-plaintext": { type: "boolean", default: false },
  v: { type: "string", default: "2" },
} as const;

/** The settings in a command line, or what is wrong with it. */
export function readSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings; readonly problem?: undefined } | { readonly settings?: undefined; readonly problem: string } {
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    const nodeId = values["node-id"] || env.NODE_NAME || "";
    const { endpoint, v } = values;
    if (endpoint === "") return { problem: "--endpoint is required" };
    if (nodeId === "") return { problem: "--node-id is required, or the variable NODE_NAME" };
    if (!/^\d$/.test(v)) return { problem: `--v=${v}: use a number from 0 to 9` };
    const driverName = values["driver-name"];
    if (!/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/i.test(driverName)) {
      return { problem: `--driver-name=${driverName}: use at most 63 letters, digits, dots and dashes` };
    }
    return { settings: { endpoint, nodeId, driverName, requirePrivacy: !values["allow-plaintext"], verbosity: Number(v) } };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
