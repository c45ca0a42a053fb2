import { readFile } from "node:fs/promises";
import { isRecord, messageOf } from "@csi-sidecars/base";
import { parse } from "yaml";
import { startHostpathDriver } from "../driver.ts";
import { defaultSettings, type SecretRules } from "../settings.ts";
import { type CommandLine, InvalidChoice } from "./flag-table.ts";
import { startProxy } from "./proxy.ts";
import { helpText, readFlags } from "./read-flags.ts";
import { textLogger } from "./text-logger.ts";

/** The process around the program. */
export interface PluginEnvironment {
  readonly program: string;
  readonly version: string;
  /** Without the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves when the program is asked to stop: on TERM, HUP, INT or QUIT. */
  readonly stopped: Promise<unknown>;
  readonly exit: (code: number) => void;
}

/** Runs the program `hostpathplugin`; returns its exit code. */
export async function runHostpathPlugin(environment: PluginEnvironment): Promise<number> {
  const { program, version, stdout, stderr } = environment;
  let line: CommandLine;
  try {
    line = readFlags(environment.argv, environment.env);
  } catch (error) {
    stderr(`${program}: ${messageOf(error)}\n`);
    return error instanceof Error && error.cause instanceof InvalidChoice ? 1 : 2;
  }
  if (line.help) {
    stdout(helpText(program));
    return 0;
  }
  if (line.version) {
    stdout(`${program} ${version}\n`);
    return 0;
  }
  const log = textLogger(stderr, line.verbosity);
  try {
    if (line.settings.ephemeral) log.info("The flag --ephemeral is deprecated: it was for Kubernetes 1.15");
    const running = line.proxyEndpoint
      ? await startProxy({ endpoint: line.settings.endpoint ?? defaultSettings.endpoint, proxyEndpoint: line.proxyEndpoint, log })
      : await startHostpathDriver({
          vendorVersion: version,
          ...line.settings,
          nodeId: line.settings.nodeId ?? "",
          secretsRequired: await readSecretRules(line.secretsRequiredFile),
          // Without the control API nothing can read them.
          callHistory: line.settings.controlEndpoint ? undefined : 0,
          log,
          exit: environment.exit,
        });
    await environment.stopped;
    await running.stop();
    return 0;
  } catch (error) {
    stderr(`${program}: ${messageOf(error)}\n`);
    return 1;
  }
}

async function readSecretRules(file: string): Promise<SecretRules> {
  if (!file) return {};
  const content: unknown = await readFile(file, "utf8")
    .then((text) => parse(text))
    .catch((error: unknown) => {
      throw new Error(`--secrets-required ${file}: ${messageOf(error)}; give a file {RPC: {key: value}}`);
    });
  const isSecrets = (value: unknown): value is Record<string, string> =>
    isRecord(value) && Object.values(value).every((secret) => typeof secret === "string");
  if (!isRecord(content)) throw new Error(`${file}: expected an object {RPC: {key: value}}`);
  return Object.fromEntries(
    Object.entries(content).map(([method, secrets]) => {
      if (!isSecrets(secrets)) throw new Error(`${file}: ${method}: expected an object of strings`);
      return [method, secrets];
    }),
  );
}
