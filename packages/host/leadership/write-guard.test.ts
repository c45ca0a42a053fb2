import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock } from "@csi-sidecars/base/testing";
import { createClient, isAbort, mergePatch, PersistentVolume, type Transport } from "@csi-sidecars/kube";
import { guardedTransport, isNotLeading } from "./write-guard.ts";

function world(clock = new FakeClock()) {
  const sent: string[] = [];
  const transport: Transport = {
    async request({ method }) {
      sent.push(method);
      return { status: 200, header: () => undefined, text: async () => "{}", async *chunks() {} };
    },
    close() {},
  };
  const state = { leading: true };
  const client = createClient({
    ...{ clock, log: silentLogger, name: "a", qps: 1, burst: 1 },
    transport: guardedTransport(transport, () => state.leading),
  });
  return { client, clock, sent, state };
}

test("reads go through without leadership, writes do not", async () => {
  const { client, clock, sent, state } = world();
  state.leading = false;
  await client.get(PersistentVolume, { name: "a" });
  const write = client.patch(PersistentVolume, { name: "a" }, mergePatch({})).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect([isNotLeading(await write), sent]).toEqual([true, ["GET"]]);
  expect(isAbort(await write)).toBe(true);
});

test("a write that waits for its token is refused if leadership ends meanwhile", async () => {
  const { client, clock, sent, state } = world();
  await client.create(PersistentVolume, { metadata: { name: "a" } });
  const late = client.delete(PersistentVolume, { name: "a" }).catch((error: unknown) => error);
  await clock.advance(500);
  state.leading = false;
  await clock.advance(500);
  expect([isNotLeading(await late), sent]).toEqual([true, ["POST"]]);
  expect(String(await late)).toContain("DELETE /api/v1/persistentvolumes/a was refused");
});
