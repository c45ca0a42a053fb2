import { resolve } from "node:path";
import { type ExecApiVersion, type ExecPlugin, execApiVersions } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { flag, list, type Section, section, text, texts } from "./field.ts";
import type { UserOptions } from "./kubeconfig-user.ts";

const interactiveModes = ["Never", "IfAvailable", "Always"] as const;

/** `users[].user.exec`: the plugin to run when a request needs credentials. */
export function readExecPlugin(from: Section, { base, env, cluster }: UserOptions): ExecPlugin {
  const apiVersion = readApiVersion(from);
  const command = text(from, "command");
  if (!command) throw new ConfigError(`${from.where}.command: is not set; name the program that prints the credentials`);
  const installHint = text(from, "installHint");
  return {
    apiVersion,
    command: /[/\\]/.test(command) ? resolve(base, command) : command,
    args: texts(from, "args"),
    env: { ...env, ...readEnvironment(from) },
    interactiveMode: readInteractiveMode(from, apiVersion),
    ...(installHint && { installHint }),
    ...(flag(from, "provideClusterInfo") && { cluster: cluster.execInfo }),
  };
}

function readApiVersion(from: Section): ExecApiVersion {
  const given = text(from, "apiVersion");
  const known = execApiVersions.find((version) => version === given);
  if (known) return known;
  const problem = given === undefined ? "is not set" : `exec plugin: invalid apiVersion "${given}"`;
  throw new ConfigError(`${from.where}.apiVersion: ${problem}; use ${execApiVersions.join(" or ")}`);
}

function readInteractiveMode(from: Section, apiVersion: ExecApiVersion): ExecPlugin["interactiveMode"] {
  const given = text(from, "interactiveMode");
  const known = interactiveModes.find((mode) => mode === given);
  if (known) return known;
  if (given === undefined && apiVersion === "client.authentication.k8s.io/v1beta1") return "IfAvailable";
  throw new ConfigError(
    `${from.where}.interactiveMode: ${given === undefined ? "is not set" : `"${given}" is unknown`}; use ${interactiveModes.join(", ")}`,
  );
}

function readEnvironment(from: Section): Record<string, string> {
  const env: Record<string, string> = {};
  for (const item of list(from, "env")) {
    const entry = section(item, `${from.where}.env[]`);
    const name = text(entry, "name");
    if (!name) throw new ConfigError(`${from.where}.env[].name: is not set`);
    env[name] = text(entry, "value") ?? "";
  }
  return env;
}
