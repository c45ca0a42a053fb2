import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

/** The fields of an audit.k8s.io/v1 event that are read here. */
interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

/**
 * Reads an audit log while it is written: each line once, and only the lines of some users. The API server starts a new file
 * every 100 MB and renames the old one; a file is recognized by its inode.
 */
export class AuditLog {
  readonly #file: string;
  readonly #requests: ReadonlyMap<string, ApiRequest[]>;
  readonly #readUpTo = new Map<number, number>();

  constructor(file: string, users: readonly string[]) {
    this.#file = file;
    this.#requests = new Map(users.map((user) => [user, []]));
  }

  /** The requests of a user so far, in the order of the responses. A watch counts when it starts, everything else when it completes. */
  requestsOf(user: string): readonly ApiRequest[] {
    for (const path of this.#files()) for (const line of this.#newLines(path)) this.#note(line);
    return [...(this.#requests.get(user) ?? [])];
  }

  /** Oldest first: the names of rotated files end in their time. */
  #files(): readonly string[] {
    const [folder, name] = [dirname(this.#file), basename(this.#file)];
    const old = readdirSync(folder).filter((file) => file.startsWith(`${name.slice(0, -extname(name).length)}-`) && file.endsWith(".log"));
    return [...old.sort(), name].map((file) => join(folder, file));
  }

  #newLines(path: string): readonly string[] {
    const descriptor = openSync(path, "r");
    try {
      const { ino, size } = fstatSync(descriptor);
      const from = this.#readUpTo.get(ino) ?? 0;
      const bytes = Buffer.alloc(size - from);
      const length = readSync(descriptor, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, length).lastIndexOf("\n") + 1;
      this.#readUpTo.set(ino, from + end);
      return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    } finally {
      closeSync(descriptor);
    }
  }

  #note(line: string): void {
    const user = /"username":"([^"]*)"/.exec(line)?.[1] ?? "";
    const requests = this.#requests.get(user);
    if (!requests) return;
    const { stage, verb, objectRef, responseStatus, requestReceivedTimestamp }: AuditEvent = JSON.parse(line);
    if (stage !== (verb === "watch" ? "ResponseStarted" : "ResponseComplete")) return;
    const { resource = "", subresource = "" } = objectRef ?? {};
    const { code = 0 } = responseStatus ?? {};
    requests.push(apiRequest({ verb, resource, subresource, code, at: Date.parse(requestReceivedTimestamp) }));
  }
}

/** A request as the API server saw it. */
export interface ApiRequest {
  /** Verb and resource: "patch volumeattachments/status". */
  readonly what: string;
  readonly verb: string;
  readonly resource: string;
  readonly code: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A request from a line of the audit log, or from the embedded server's own record. */
export function apiRequest({ subresource, ...rest }: Omit<ApiRequest, "what"> & { readonly subresource: string }): ApiRequest {
  const { verb, resource, code, at } = rest;
  return { what: `${verb} ${resource}${subresource && `/${subresource}`}`, ...{ verb, resource, code, at } };
}

/** Everything but lease renewals and the watches that a server ends from time to time. */
export function isWork({ verb, resource }: ApiRequest): boolean {
  return verb !== "watch" && verb !== "list" && resource !== "leases";
}

/** How many items have each key. */
export function countBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(items, key)].map(([name, group]) => [name, group.length]));
}
