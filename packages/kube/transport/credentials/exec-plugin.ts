import { spawn } from "node:child_process";
import type { ExecApiVersion, ExecPlugin } from "../../config/cluster-config.ts";
import { ConfigError, type Section, section, subsection, text } from "../../config/config-fields.ts";
import { readFailure } from "../../config/files.ts";
import { checkKeyPair, type KeyPair } from "../../config/pem.ts";
import { isHeaderSafe } from "../../config/secret-string.ts";
import { TransportError } from "../transport.ts";

/** The credential that a plugin printed. */
interface IssuedCredential {
  readonly token?: string;
  readonly clientCertificate?: KeyPair;
  /** Wall time. */
  readonly expiresAt?: number;
}

const maxOutputBytes = 1024 * 1024;

/** Runs the plugin once. It inherits stderr; its stdout holds the credential and is never logged. */
export async function runExecPlugin(
  plugin: ExecPlugin,
  options: { readonly terminal: boolean; readonly signal: AbortSignal },
): Promise<IssuedCredential> {
  const name = `exec plugin "${plugin.command}"`;
  if (plugin.interactiveMode === "Always" && !options.terminal) {
    throw new TransportError(
      "credentials",
      `${name}: wants to ask the user (interactiveMode: Always), but standard input is not a terminal`,
    );
  }
  const interactive = plugin.interactiveMode !== "Never" && options.terminal;
  return decodeExecCredential(await outputOf(plugin, name, interactive, options.signal), plugin.apiVersion, name);
}

function outputOf(plugin: ExecPlugin, name: string, interactive: boolean, signal: AbortSignal): Promise<string> {
  const { command, args, apiVersion, cluster } = plugin;
  const info = { kind: "ExecCredential", apiVersion, spec: { ...(cluster && { cluster }), interactive } };
  const hint = plugin.installHint ? `\n${plugin.installHint}` : "";
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => reject(new TransportError("credentials", `${name}: ${problem}${hint}`));
    const child = spawn(command, args, {
      env: { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
      signal,
      windowsHide: true,
    });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > maxOutputBytes) child.kill();
    });
    child.on("error", (error) =>
      fail(signal.aborted ? "stopped" : `cannot be run: ${readFailure(error)}; install it, or correct users[].user.exec.command`),
    );
    child.on("close", (code, killedBy) => {
      if (code === 0) resolve(output);
      else fail(killedBy ? `was ended by ${killedBy}` : `failed with exit code ${code}; it may have said why on stderr`);
    });
  });
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
