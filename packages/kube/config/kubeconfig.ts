import { dirname } from "node:path";
import { ownValue } from "@csi-sidecars/base";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError, list, type Section, section, text } from "./config-fields.ts";
import { type Environment, type Files, readNamedFile } from "./files.ts";
import { readCluster } from "./kubeconfig-cluster.ts";
import { readUser } from "./kubeconfig-user.ts";
import { proxyFromEnvironment } from "./proxy.ts";

export interface KubeconfigOptions {
  readonly path: string;
  /** The flag or variable that named the file, for messages. */
  readonly namedBy: string;
  /** Another context than `current-context`. */
  readonly context?: string;
  /** Another address than the cluster's `server`. */
  readonly master?: string;
  readonly env: Environment;
  readonly files: Files;
}

/** One context of a kubeconfig file. Files it names are read once, so that a wrong path is reported now and not at the first request. */
export function kubeconfigConfig(options: KubeconfigOptions): ClusterConfig {
  const { path, env, files } = options;
  const root = section(parse(options), `kubeconfig "${path}"`);
  const wanted = options.context || text(root, "current-context");
  if (!wanted) {
    throw new ConfigError(`${root.where}: current-context: is not set; set it with "kubectl config use-context"${contextNames(root)}`);
  }
  const context = named(root, "contexts", "context", wanted, options.context ? "--context" : "current-context");
  const clusterSection = named(root, "clusters", "cluster", required(context, "cluster"), `contexts["${wanted}"].context.cluster`);
  const userName = text(context, "user");
  const userSection = userName ? named(root, "users", "user", userName, `contexts["${wanted}"].context.user`) : section(undefined, "");

  const base = dirname(path);
  const cluster = readCluster(clusterSection, { base, files, ...(options.master && { master: options.master }) });
  const user = cluster.server.startsWith("https://") ? readUser(userSection, { base, env, files, cluster }) : undefined;
  const proxy = cluster.proxy ?? proxyFromEnvironment(cluster.server, env);
  const namespace = text(context, "namespace");
  return {
    source: `kubeconfig "${path}", context "${wanted}"`,
    server: cluster.server,
    tls: { ...cluster.tls, ...(user?.clientCertificate && { clientCertificate: user.clientCertificate }) },
    credentials: user?.credentials ?? { kind: "none" },
    disableCompression: cluster.disableCompression,
    ...(user?.impersonate && { impersonate: user.impersonate }),
    ...(proxy && { proxy }),
    ...(namespace && { namespace }),
  };
}

/**
 * The YAML library's messages and warnings quote the faulty line, which may hold a credential: only its position is reported. As for
 * kubectl, the file must be one that JSON could hold.
 */
function parse({ path, namedBy, files }: KubeconfigOptions): unknown {
  const content = readNamedFile(files, path, "kubeconfig", `check ${namedBy}${/[:;]/.test(path) ? ", which must name one file" : ""}`);
  const { LineCounter, parseDocument } = yamlParser();
  const lineCounter = new LineCounter();
  let [value, problem]: [unknown, string] = [undefined, "nested too deeply"];
  try {
    const document = parseDocument(content, { prettyErrors: false, lineCounter, logLevel: "error" });
    const [error] = document.errors;
    if (error) {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      throw new ConfigError(`kubeconfig "${path}": is not valid YAML at line ${line}, column ${col} (${error.code}); correct the file`);
    }
    problem = "unresolved alias";
    value = document.toJS();
    problem = "an alias to what contains it";
    JSON.stringify(value);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`kubeconfig "${path}": is not valid YAML (${problem}); correct the file`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(`kubeconfig "${path}": ${content.trim() === "" ? "is empty" : "is not a kubeconfig"}; check ${namedBy}`);
  }
  return value;
}

function named(root: Section, listField: string, field: string, name: string, referredBy: string): Section {
  for (const item of list(root, listField)) {
    const entry = section(item, `${root.where}: ${listField}[]`);
    if (entry.values.name === name) return section(ownValue(entry.values, field), `${root.where}: ${listField}["${name}"].${field}`);
  }
  const names = namesOf(root, listField);
  throw new ConfigError(
    `${root.where}: ${referredBy}: "${name}" is not in ${listField}; ${names.length ? `there are ${names.join(", ")}` : "the list is empty"}`,
  );
}

function required(from: Section, field: string): string {
  const value = text(from, field);
  if (value === undefined) throw new ConfigError(`${from.where}.${field}: is not set`);
  return value;
}

function namesOf(root: Section, listField: string): readonly string[] {
  return list(root, listField).map((item) => JSON.stringify(section(item, `${root.where}: ${listField}[]`).values.name));
}

function contextNames(root: Section): string {
  const names = namesOf(root, "contexts");
  return names.length ? ` to one of ${names.join(", ")}` : "";
}

/**
 * The YAML library, loaded with the first kubeconfig: in-cluster configuration needs none, and it costs 9 MB of resident memory.
 * `require` instead of `import()`, because configuration is read synchronously; instead of `createRequire`, because bundlers follow it.
 */
function yamlParser(): typeof import("yaml") {
  return require("yaml");
}
