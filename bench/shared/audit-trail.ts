import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { type Asked, askedOf } from "./asked.ts";

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
 * Reads an audit log while it is written, each line once and only those of some users, so that asking costs what is new. The
 * API server begins a new file every 100 MB and renames the old one; a file is known by its inode.
 */
export class AuditTrail {
  readonly #file: string;
  readonly #requests: ReadonlyMap<string, Asked[]>;
  readonly #readUpTo = new Map<number, number>();

  constructor(file: string, users: readonly string[]) {
    this.#file = file;
    this.#requests = new Map(users.map((user) => [user, []]));
  }

  /** What the user asked so far, in the order of the answers. A watch counts from its beginning, everything else when answered. */
  requestsOf(user: string): readonly Asked[] {
    for (const path of this.#files()) for (const line of this.#newLines(path)) this.#note(line);
    return [...(this.#requests.get(user) ?? [])];
  }

  /** Oldest first: names of old files end in their time. */
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
    requests.push(askedOf({ verb, resource, subresource, code, at: Date.parse(requestReceivedTimestamp) }));
  }
}
