import { until } from "@csi-sidecars/base/testing";
import { type Client, ignoreNotFound } from "@csi-sidecars/kube";
import type { Etcd } from "../real/etcd.ts";
import type { JsonObject } from "../rules/json.ts";
import { emptyCluster, inventory } from "./empty-cluster.ts";
import { Definition, installDefinitions, isServed } from "./install-definitions.ts";

interface Served {
  readonly definitions: readonly JsonObject[];
  /** What the server made of them. */
  readonly stored: string;
  /** What stays when the cluster is emptied: what was there before any test, and the definitions. */
  readonly keep: ReadonlySet<string>;
}

/**
 * The custom kinds of a real server. It takes the server more than a second to serve a kind, so the kinds of one test stay for the next
 * one that asks for the same.
 */
export class ServedDefinitions {
  readonly #admin: Client;
  readonly #etcd: Pick<Etcd, "keys" | "delete">;
  readonly #none: Served;
  #served: Served;

  constructor(admin: Client, etcd: Pick<Etcd, "keys" | "delete">, original: ReadonlySet<string>) {
    this.#admin = admin;
    this.#etcd = etcd;
    this.#none = { definitions: [], stored: "[]", keep: original };
    this.#served = this.#none;
  }

  /** The inventory for {@link emptyCluster}. */
  get keep(): ReadonlySet<string> {
    return this.#served.keep;
  }

  /** Serves these kinds and no others, in a cluster that is empty. */
  async serve(definitions: readonly JsonObject[]): Promise<void> {
    const { definitions: before, stored } = this.#served;
    const isSame = JSON.stringify(definitions) === JSON.stringify(before);
    if (isSame && (await this.#read(before)) === stored) return;
    this.#served = this.#none;
    await emptyCluster(this.#admin, this.#etcd, this.keep);
    await this.#untilNotServed(before);
    await installDefinitions(this.#admin, definitions);
    this.#served = { definitions, stored: await this.#read(definitions), keep: await inventory(this.#etcd) };
  }

  /** Everything about the definitions that a test may have changed. The server itself writes conditions, at any time. */
  async #read(definitions: readonly JsonObject[]): Promise<string> {
    const read = definitions.map(async (definition) => {
      const stored = await ignoreNotFound(this.#admin.get(Definition, { name: nameOf(definition) }));
      const { uid, labels, annotations, finalizers } = stored?.metadata ?? {};
      return { uid, labels, annotations, finalizers, spec: stored?.spec, storedVersions: stored?.status?.storedVersions };
    });
    return JSON.stringify(await Promise.all(read));
  }

  /** Discovery shows the kinds of a deleted definition for a moment. */
  async #untilNotServed(definitions: readonly JsonObject[]): Promise<void> {
    for (const definition of definitions as readonly Definition[]) {
      for (const { name } of definition.spec?.versions ?? []) {
        await until(`the end of ${nameOf(definition)}`, async () => !(await isServed(this.#admin, definition, name)));
      }
    }
  }
}

function nameOf({ metadata }: Definition): string {
  return metadata?.name ?? "";
}
