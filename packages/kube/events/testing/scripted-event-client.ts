import type { KubeObject, ObjectRef } from "../../object.ts";
import type { V1Event } from "../../resources.ts";
import type { EventClient } from "../event-sink.ts";

export interface EventCall {
  readonly verb: "POST" | "PATCH";
  readonly name: string;
  readonly namespace: string | undefined;
  readonly body: Partial<V1Event>;
}

/** What happens to a call: an error is thrown, a promise waited for, anything else is success. */
export type Answer = (call: EventCall) => Error | Promise<void> | undefined;

/** An API server for events that notes every call and answers as the test says. */
export class ScriptedEventClient implements EventClient {
  readonly calls: EventCall[] = [];
  answer: Answer = () => undefined;

  async create<T extends KubeObject>(_: unknown, object: T): Promise<T> {
    await this.#call({ verb: "POST", name: object.metadata?.name ?? "", namespace: object.metadata?.namespace, body: object });
    return object;
  }

  async patch<T extends KubeObject>(_: { object?: T }, ref: ObjectRef, patch: { body: object }): Promise<T> {
    await this.#call({ verb: "PATCH", name: ref.name, namespace: ref.namespace, body: patch.body });
    return patch.body as T;
  }

  /** `POST 1`, `PATCH 2`: verb and count of each call. */
  get summary(): string[] {
    return this.calls.map(({ verb, body }) => `${verb} ${body.count}`);
  }

  async #call(call: EventCall): Promise<void> {
    this.calls.push(call);
    const answer = this.answer(call);
    if (answer instanceof Error) throw answer;
    await answer;
  }
}
