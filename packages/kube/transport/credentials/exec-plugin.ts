import { type Clock, messageOf } from "@csi-sidecars/base";
import type { ExecApiVersion, ExecPlugin } from "../../config/cluster-config.ts";
import { ConfigError, type Section, section, subsection, text } from "../../config/config-fields.ts";
import { checkKeyPair, type KeyPair } from "../../config/pem.ts";
import { isHeaderSafe } from "../../config/secret-string.ts";
import { TransportError } from "../transport.ts";
import { outputOf } from "./plugin-process.ts";

/** The credential that a plugin printed. */
interface IssuedCredential {
  readonly token?: string;
  readonly clientCertificate?: KeyPair;
  /** Wall time. */
  readonly expiresAt?: number;
}

interface RunOptions {
  readonly terminal: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs the plugin once. It inherits stderr; its stdout holds the credential and is never logged. */
export async function runExecPlugin(plugin: ExecPlugin, options: RunOptions): Promise<IssuedCredential> {
  const name = `exec plugin "${plugin.command}"`;
  if (plugin.interactiveMode === "Always" && !options.terminal) {
    throw new TransportError(
      "credentials",
      `${name}: wants to ask the user (interactiveMode: Always), but standard input is not a terminal`,
    );
  }
  const interactive = plugin.interactiveMode !== "Never" && options.terminal;
  return decodeExecCredential(await print(plugin, name, interactive, options), plugin.apiVersion, name);
}

async function print(plugin: ExecPlugin, name: string, interactive: boolean, { clock, signal }: RunOptions): Promise<string> {
  const { command, args, apiVersion, cluster } = plugin;
  const info = { kind: "ExecCredential", apiVersion, spec: { ...(cluster && { cluster }), interactive } };
  const env = { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    return await outputOf({ command, args, env, interactive }, clock, signal);
  } catch (error) {
    const hint = plugin.installHint ? `\n${plugin.installHint}` : "";
    throw new TransportError("credentials", `${name}: ${messageOf(error)}${hint}`);
  }
}

/** Decodes the ExecCredential that a plugin printed; `name` names the plugin in messages. */
function decodeExecCredential(output: string, apiVersion: ExecApiVersion, name: string): IssuedCredential {
  try {
    return decode(section(parse(output, name), name), apiVersion);
  } catch (error) {
    if (error instanceof ConfigError) throw new TransportError("credentials", error.message);
    throw error;
  }
}

function parse(output: string, name: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    throw new ConfigError(`${name}: did not print JSON; it must print an ExecCredential`);
  }
}

function decode(root: Section, apiVersion: ExecApiVersion): IssuedCredential {
  if (root.values.kind !== "ExecCredential") throw new ConfigError(`${root.where}: printed something else than an ExecCredential`);
  if (root.values.apiVersion !== apiVersion) {
    throw new ConfigError(`${root.where}: is configured for apiVersion ${apiVersion}, but printed another one; make the two agree`);
  }
  const status = subsection(root, "status");
  if (!status) throw new ConfigError(`${root.where}: printed no status`);
  const token = text(status, "token");
  const clientCertificate = keyPair(status);
  if (!token && !clientCertificate) {
    throw new ConfigError(`${status.where}: has neither a token nor a client certificate`);
  }
  if (token && !isHeaderSafe(token)) throw new ConfigError(`${status.where}.token: holds characters that no token has`);
  const expiresAt = expiry(status);
  return { ...(token && { token }), ...(clientCertificate && { clientCertificate }), ...(expiresAt !== undefined && { expiresAt }) };
}

function keyPair(status: Section): KeyPair | undefined {
  const cert = text(status, "clientCertificateData");
  const key = text(status, "clientKeyData");
  if (!cert && !key) return undefined;
  if (!cert || !key) throw new ConfigError(`${status.where}: clientCertificateData and clientKeyData must come together`);
  return checkKeyPair({ cert, key }, `${status.where}.clientCertificateData`, `${status.where}.clientKeyData`);
}

function expiry(status: Section): number | undefined {
  const given = text(status, "expirationTimestamp");
  if (given === undefined) return undefined;
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw new ConfigError(`${status.where}.expirationTimestamp: is not an RFC 3339 time`);
  return time;
}
