import type { CallOptions } from "../../client/client.ts";
import { StatusError } from "../../client/status-error.ts";
import type { KubeObject, ObjectRef } from "../../object.ts";
import type { V1Lease } from "../../resources.ts";
import type { LeaseClient } from "../lease-lock.ts";

export type LeaseVerb = "GET" | "POST" | "PUT";

/** Delays or fails a call before or after it reaches the server. */
export interface Disturbance {
  before?(verb: LeaseVerb, signal: AbortSignal | undefined): Promise<void> | void;
  after?(verb: LeaseVerb, signal: AbortSignal | undefined): Promise<void> | void;
}

const status = (code: number, reason: string) => new StatusError({ code, reason, message: reason });

/** One Lease as an API server keeps it: resource versions, conflicts, times, and nothing shared with its clients. */
export class FakeLeaseStore {
  /** Each call that reached the server: `GET 404`, `PUT 200`. */
  readonly calls: string[] = [];
  #lease: V1Lease | undefined;
  #version = 0;

  get lease(): V1Lease | undefined {
    return structuredClone(this.#lease);
  }

  /** Changes the Lease behind everybody's back. */
  edit(change: (lease: V1Lease) => void): void {
    const lease = this.#lease ?? { metadata: { name: "lease", namespace: "csi" } };
    change(lease);
    this.#store(lease);
  }

  delete(): void {
    this.#lease = undefined;
  }

  /** A client whose calls suffer what `disturbance` says. */
  client(disturbance: Disturbance = {}): LeaseClient {
    const call = async <T extends KubeObject>(verb: LeaseVerb, options: CallOptions | undefined, work: () => V1Lease): Promise<T> => {
      options?.signal?.throwIfAborted();
      await disturbance.before?.(verb, options?.signal);
      options?.signal?.throwIfAborted();
      const answer = this.#answer(verb, work);
      await disturbance.after?.(verb, options?.signal);
      return structuredClone(answer) as T;
    };
    return {
      get: <T extends KubeObject>(_: unknown, __: ObjectRef, options?: CallOptions) => call<T>("GET", options, () => this.#existing()),
      create: <T extends KubeObject>(_: unknown, object: T, options?: CallOptions) =>
        call<T>("POST", options, () => {
          if (this.#lease) throw status(409, "AlreadyExists");
          return this.#store(object as V1Lease);
        }),
      update: <T extends KubeObject>(_: unknown, object: T, options?: CallOptions) =>
        call<T>("PUT", options, () => {
          const { resourceVersion } = this.#existing().metadata ?? {};
          if (object.metadata?.resourceVersion !== resourceVersion) throw status(409, "Conflict");
          return this.#store(object as V1Lease);
        }),
    };
  }

  #answer(verb: LeaseVerb, work: () => V1Lease): V1Lease {
    try {
      const answer = work();
      this.calls.push(`${verb} ${verb === "POST" ? 201 : 200}`);
      return answer;
    } catch (error) {
      if (error instanceof StatusError) this.calls.push(`${verb} ${error.status.code}`);
      throw error;
    }
  }

  #existing(): V1Lease {
    if (!this.#lease) throw status(404, "NotFound");
    return this.#lease;
  }

  #store(lease: V1Lease): V1Lease {
    const copy = structuredClone(lease);
    this.#lease = { ...copy, metadata: { ...copy.metadata, resourceVersion: String(++this.#version) } };
    return this.#lease;
  }
}
