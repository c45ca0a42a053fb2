import type { Client, KubeList, ListOptions, Status, WatchEvent, WatchOptions } from "../../client/client.ts";
import { StatusError } from "../../client/status-error.ts";
import type { KubeObject } from "../../object.ts";
import type { Resource } from "../../resource.ts";
import { TransportError } from "../../transport/transport.ts";

/** A request the code under test made; `signal` is left out. */
export type ScriptedRequest = { readonly metadataOnly?: true } & (
  | { readonly verb: "list"; readonly options: Omit<ListOptions, "signal"> }
  | { readonly verb: "watch"; readonly options: Omit<WatchOptions, "signal"> }
);

/** One open watch of the script: the test says what the server sends on it. */
export class ScriptedWatch {
  /** Whether the reader has closed it. */
  closed = false;
  readonly #events: WatchEvent<KubeObject>[] = [];
  #end: { readonly error?: Error } | undefined;
  #wake: () => void = () => undefined;

  send(...events: readonly WatchEvent<KubeObject>[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  /** The server closes the watch, or the connection breaks with an error. */
  end(error?: Error): void {
    this.#end = { error };
    this.#wake();
  }

  async *events<T extends KubeObject>(signal: AbortSignal | undefined): AsyncGenerator<WatchEvent<T>, void, undefined> {
    signal?.addEventListener("abort", () => this.end(new TransportError("aborted", "aborted")), { once: true });
    try {
      for (;;) {
        const next = this.#events.shift();
        if (next) yield next as WatchEvent<T>;
        else if (this.#end?.error) throw this.#end.error;
        else if (this.#end) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.closed = true;
    }
  }
}

type Answer = KubeList<KubeObject> | ScriptedWatch | Error;

/** Lists and watches as a test answers them, in order; a request without an answer waits for one. */
export class ScriptedClient implements Pick<Client, "list" | "watch"> {
  readonly requests: ScriptedRequest[] = [];
  readonly #answers: Answer[] = [];
  #wake: () => void = () => undefined;

  answer(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
    this.#wake();
  }

  async list<T extends KubeObject>({ metadataOnly }: Resource<T>, { signal, ...options }: ListOptions = {}): Promise<KubeList<T>> {
    this.requests.push({ verb: "list", options, metadataOnly });
    const answer = await this.#next(signal);
    if (answer instanceof ScriptedWatch) throw new Error("the script has a watch for a list");
    return answer as KubeList<T>;
  }

  async watch<T extends KubeObject>(
    { metadataOnly }: Resource<T>,
    { signal, ...options }: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent<T>>> {
    this.requests.push({ verb: "watch", options, metadataOnly });
    const answer = await this.#next(signal);
    if (!(answer instanceof ScriptedWatch)) throw new Error("the script has a list for a watch");
    return answer.events<T>(signal);
  }

  async #next(signal: AbortSignal | undefined): Promise<Exclude<Answer, Error>> {
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => undefined);
    signal?.addEventListener("abort", () => aborted.reject(new TransportError("aborted", "aborted")), { once: true });
    for (;;) {
      const answer = this.#answers.shift();
      if (answer instanceof Error) throw answer;
      if (answer) return answer;
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), aborted.promise]);
    }
  }
}

export function statusError(code: number, reason?: string, message = reason ?? "failed"): StatusError {
  return new StatusError(status(code, reason, message));
}

export function status(code: number, reason?: string, message = reason ?? "failed"): Status {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
}

export const refused = () => new TransportError("refused", "connection refused");
