import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { type Client, VolumeAttributesClass } from "@csi-sidecars/kube";
import type { Component } from "../component.ts";
import { noDriver } from "../driver/component-driver.ts";
import { gate } from "../gates/feature-gates.ts";
import { ServedKinds } from "../kube/served-kinds.ts";
import { ComponentSupport } from "./component-support.ts";
import { fake } from "./testing/components.ts";

const gates = {
  VolumeAttributesClass: gate(true, "GA", "Uses classes.", { needs: VolumeAttributesClass }),
  Other: gate(true, "GA", "Needs nothing."),
};
/** Each uses the feature. */
const [a, b] = ["a", "b"].map((name) => fake(name, { gates }) as unknown as Component);

/** A process of components that share what they know of an API server which answers so. */
function processWith(discover: () => Promise<readonly string[] | undefined>, explicit: readonly string[] = []) {
  const asked: string[] = [];
  const log = recordingLogger();
  const served = new ServedKinds();
  const kube = {
    async discover(groupVersion: string) {
      asked.push(groupVersion);
      return (await discover())?.map((kind) => ({ kind }));
    },
  } as unknown as Client;
  const support = (component = a as Component) =>
    new ComponentSupport({
      ...{ component, kube, served, log, flags: {}, clock: new FakeClock(), lossPolicy: "restart" },
      gates: { enabled: () => true, explicit: (name) => explicit.includes(name) },
    });
  return { asked, log, support };
}

async function enabled(support: ComponentSupport): Promise<readonly string[]> {
  const answer = await support.check(noDriver("a"), new AbortController().signal);
  if (!answer?.supported) throw new Error("not supported");
  return Object.keys(gates).filter((name) => answer.gates.enabled(name));
}

describe("a feature that is about a kind", () => {
  test.each<[string, readonly string[] | undefined, readonly string[]]>([
    ["is enabled where the cluster serves it", ["StorageClass", "VolumeAttributesClass"], ["VolumeAttributesClass", "Other"]],
    ["is disabled where it does not", ["StorageClass"], ["Other"]],
    ["is disabled where it does not serve the group version", undefined, ["Other"]],
  ])("%s", async (_what, kinds, expected) => {
    const { support, asked } = processWith(async () => kinds);
    expect(await enabled(support())).toEqual([...expected]);
    expect(asked).toEqual(["storage.k8s.io/v1"]);
  });

  test("stays as it is, with an error in the log, where the server does not answer: it is not asked again", async () => {
    const { support, asked, log } = processWith(() => Promise.reject(new Error("the API server is away")));
    const first = support();
    expect(await enabled(first)).toEqual(["VolumeAttributesClass", "Other"]);
    expect(await enabled(first)).toEqual(["VolumeAttributesClass", "Other"]);
    expect(log.lines.filter(({ severity }) => severity === "error").map(({ error }) => String(error))).toEqual([
      "Error: the API server is away",
    ]);
    expect(asked).toHaveLength(1);
  });

  test("is the user's choice if he named the gate: nobody is asked", async () => {
    const { support, asked } = processWith(async () => [], ["VolumeAttributesClass"]);
    expect(await enabled(support())).toEqual(["VolumeAttributesClass", "Other"]);
    expect(asked).toEqual([]);
  });

  test("is asked for once, however many components use it", async () => {
    const { support, asked } = processWith(async () => []);
    expect(await Promise.all([support(a), support(b)].map(enabled))).toEqual([["Other"], ["Other"]]);
    expect(asked).toHaveLength(1);
  });

  test("does not hold up a process that is to end", async () => {
    const { support } = processWith(() => new Promise(() => {}));
    const ends = new AbortController();
    const answer = support().check(noDriver("a"), ends.signal);
    ends.abort();
    expect(await answer).toBeUndefined();
  });
});
