import { spawn } from "node:child_process";
import type { ExecPlugin } from "../config/cluster-config.ts";
import { readFailure } from "../config/files.ts";
import type { KeyPair } from "../config/pem.ts";
import { decodeExecCredential } from "./exec-credential.ts";
import { TransportError } from "./transport.ts";

/** What a plugin printed. */
export interface IssuedCredential {
  readonly token?: string;
  readonly clientCertificate?: KeyPair;
  /** Wall time. */
  readonly expiresAt?: number;
}

const longestOutput = 1024 * 1024;

/** Runs the plugin once. Its stderr goes where ours goes; what it prints on stdout is never shown, it holds the credential. */
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
      if (output.length > longestOutput) child.kill();
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
