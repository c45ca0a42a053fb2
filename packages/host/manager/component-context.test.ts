import { expect, test } from "bun:test";
import { Node } from "@csi-sidecars/kube";
import { aborted } from "../signals.ts";
import { fake } from "./testing/components.ts";
import { startWorld } from "./testing/world.ts";

const simple = { leadership: "none", driver: "none" } as const;

test("a component's further client waits for its own limit, without holding up the first one, and logs which flags to raise", async () => {
  await using world = await startWorld({ cluster: true });
  const answered: string[] = [];
  const component = fake("reader", {
    ...simple,
    kube: true,
    async start({ kube, kubeFor, signal }) {
      const slow = kubeFor("slow", { qps: 0.5, burst: 1, limitedBy: "--slow-qps" });
      const ask = async (client: typeof kube, name: string) => void answered.push(`${name} ${(await client.list(Node)).items.length}`);
      await ask(slow, "slow");
      void ask(slow, "slow again");
      for (let count = 0; count < 5; count++) await ask(kube, "own");
      return { done: aborted(signal) };
    },
  });
  const program = world.run([component]);
  await program.until("all answers", () => answered.length === 7);
  expect(answered).toEqual(["slow 0", "own 0", "own 0", "own 0", "own 0", "own 0", "slow again 0"]);
  expect(program.stderr()).toContain("raise --slow-qps if work is slow");
  expect(program.stderr()).toContain('client="reader-slow"');
});

test("a component without an API server has no further client either", async () => {
  await using world = await startWorld();
  let error: unknown;
  const component = fake("alone", {
    ...simple,
    async start({ kubeFor, signal }) {
      error = await kubeFor("any", { qps: 1, burst: 1 })
        .list(Node)
        .catch((thrown: unknown) => thrown);
      return { done: aborted(signal) };
    },
  });
  const program = world.run([component]);
  await program.until("the answer", () => error !== undefined);
  expect(String(error)).toContain("alone declares that it needs no API server");
});
