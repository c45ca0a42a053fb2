import { resolve } from "node:path";
import { dictionary } from "@csi-sidecars/base";
import {
  type ClientCertificate,
  type Credentials,
  type ExecApiVersion,
  type ExecPlugin,
  execApiVersions,
  type Impersonation,
  type Pem,
} from "./cluster-config.ts";
import { base64, ConfigError, flag, list, type Section, section, subsection, text, texts } from "./config-fields.ts";
import { type Environment, type Files, readNamedFile } from "./files.ts";
import type { KubeconfigCluster } from "./kubeconfig-cluster.ts";
import { readKeyPair } from "./pem.ts";
import { isHeaderSafe, SecretString } from "./secret-string.ts";

/** A parsed entry of `users`. */
interface KubeconfigUser {
  readonly credentials: Credentials;
  readonly clientCertificate?: ClientCertificate;
  readonly impersonate?: Impersonation;
}

interface UserOptions {
  /** The kubeconfig's directory: relative paths are resolved against it. */
  readonly base: string;
  readonly env: Environment;
  readonly files: Files;
  readonly cluster: KubeconfigCluster;
}

export function readUser(from: Section, options: UserOptions): KubeconfigUser {
  const clientCertificate = readCertificate(from, options);
  const impersonate = readImpersonation(from);
  return {
    credentials: readCredentials(from, options, clientCertificate !== undefined),
    ...(clientCertificate && { clientCertificate }),
    ...(impersonate && { impersonate }),
  };
}

/** An exec plugin is only used where nothing else is configured. */
function readCredentials(from: Section, options: UserOptions, hasCertificate: boolean): Credentials {
  const token = text(from, "token");
  const tokenFile = text(from, "tokenFile");
  const username = text(from, "username");
  const password = text(from, "password");
  const hasBasic = username !== undefined || password !== undefined;
  const exec = subsection(from, "exec");
  if ((token || tokenFile) && hasBasic) {
    throw new ConfigError(`${from.where}: token and username/password exclude each other; remove one of them`);
  }
  if (subsection(from, "auth-provider")) {
    throw new ConfigError(
      `${from.where}.auth-provider: is no longer supported by Kubernetes; use the provider's exec plugin (users[].user.exec) or a token`,
    );
  }
  const plugin = exec && readExecPlugin(exec, options);
  if (tokenFile) return fromTokenFile(from, resolve(options.base, tokenFile), token, options.files);
  if (token) return { kind: "token", token: checkedToken(from, "token", token) };
  if (hasBasic) return { kind: "basic", username: username ?? "", password: new SecretString(password ?? "") };
  if (plugin && !hasCertificate) return { kind: "exec", plugin };
  return { kind: "none" };
}

function fromTokenFile(from: Section, file: string, token: string | undefined, files: Files): Credentials {
  if (token) return { kind: "tokenFile", file, fallback: checkedToken(from, "token", token) };
  const content = readNamedFile(files, file, `${from.where}.tokenFile`, "name a readable file that holds a bearer token").trim();
  if (content === "") throw new ConfigError(`${from.where}.tokenFile: ${file}: is empty; it must hold a bearer token`);
  if (!isHeaderSafe(content))
    throw new ConfigError(
      `${from.where}.tokenFile: ${file}: holds characters that no token has; it must hold a bearer token and nothing else`,
    );
  return { kind: "tokenFile", file };
}

function checkedToken(from: Section, field: string, token: string): SecretString {
  if (!isHeaderSafe(token))
    throw new ConfigError(`${from.where}.${field}: holds characters that no token has (line breaks, non-ASCII); copy it again`);
  return new SecretString(token);
}

function readCertificate(from: Section, { base, files }: UserOptions): ClientCertificate | undefined {
  const cert = readPem(from, "client-certificate", base);
  const key = readPem(from, "client-key", base);
  if (!cert && !key) return undefined;
  if (!cert) throw new ConfigError(`${from.where}: client-key without a certificate; set client-certificate or client-certificate-data`);
  if (!key) throw new ConfigError(`${from.where}: client-certificate without its key; set client-key or client-key-data`);
  const certificate = { cert, key };
  readKeyPair(certificate, files);
  return certificate;
}

function readPem(from: Section, field: string, base: string): Pem | undefined {
  const inline = base64(from, `${field}-data`);
  if (inline) return { field: `${from.where}.${field}-data`, pem: new SecretString(inline) };
  const file = text(from, field);
  return file ? { field: `${from.where}.${field}`, file: resolve(base, file) } : undefined;
}

function readImpersonation(from: Section): Impersonation | undefined {
  const user = text(from, "as");
  const uid = text(from, "as-uid");
  const groups = texts(from, "as-groups");
  const extraSection = subsection(from, "as-user-extra");
  const extra = dictionary<readonly string[]>();
  if (extraSection) for (const key of Object.keys(extraSection.values)) extra[key] = texts(extraSection, key);
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
    throw new ConfigError(`${from.where}: as-uid, as-groups and as-user-extra need a user to act as; set "as"`);
  }
  for (const value of [user, uid ?? "-", ...groups, ...Object.values(extra).flat()]) {
    if (!isHeaderSafe(value))
      throw new ConfigError(`${from.where}: the values of as, as-uid, as-groups and as-user-extra must be plain ASCII text`);
  }
  return { user, groups, extra, ...(uid && { uid }) };
}

const interactiveModes = ["Never", "IfAvailable", "Always"] as const;

/** `users[].user.exec`: the plugin to run when a request needs credentials. */
function readExecPlugin(from: Section, { base, env, cluster }: UserOptions): ExecPlugin {
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
  const env = dictionary<string>();
  for (const item of list(from, "env")) {
    const entry = section(item, `${from.where}.env[]`);
    const name = text(entry, "name");
    if (!name) throw new ConfigError(`${from.where}.env[].name: is not set`);
    env[name] = text(entry, "value") ?? "";
  }
  return env;
}
