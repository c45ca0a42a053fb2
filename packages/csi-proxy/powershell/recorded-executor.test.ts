import { expect, test } from "bun:test";
import type { Envelope } from "./executor.ts";
import { RecordedExecutor } from "./recorded-executor.ts";

const answer = (data: unknown): Envelope => ({ ok: true, data });

test("the first reply that matches operation, parameters and ordinal counts", async () => {
  const executor = new RecordedExecutor([
    { op: "disk.list", params: { disk_number: "2" }, nth: 2, reply: answer("disk 2 again") },
    { op: "disk.list", params: { disk_number: "2" }, reply: answer("disk 2") },
    { op: "disk.list", params: { disk_number: "" }, reply: answer("all") },
    { op: "disk.partitions", reply: answer("partitions") },
  ]);
  expect([
    await executor.run("disk.list", { disk_number: "2" }),
    await executor.run("disk.list", {}),
    await executor.run("disk.list", { disk_number: "2" }),
    await executor.run("disk.list", { disk_number: "2" }),
    await executor.run("disk.partitions", { disk_number: "2" }),
  ]).toEqual([answer("disk 2"), answer("all"), answer("disk 2 again"), answer("disk 2"), answer("partitions")]);
  expect(executor.calls.slice(0, 2)).toEqual([
    { op: "disk.list", params: { disk_number: "2" } },
    { op: "disk.list", params: {} },
  ]);
  await executor.close();
});

test("a call without a reply fails, and close() says so again", async () => {
  const executor = new RecordedExecutor([{ op: "disk.list", params: { disk_number: "1" }, reply: answer([]) }]);
  const why = 'no reply was recorded for: disk.list {"disk_number":"2"}';
  await expect(executor.run("disk.list", { disk_number: "2" })).rejects.toThrow(why);
  await expect(executor.close()).rejects.toThrow(why);
});

test("what the catalogue does not have is refused, as by the others", async () => {
  const executor = new RecordedExecutor([]);
  await expect(executor.run("disk.erase", {})).rejects.toThrow("disk.erase: no such operation");
  await expect(executor.run("toString", {})).rejects.toThrow("toString: no such operation");
  await expect(executor.run("disk.list", { PATH: "C:\\evil" })).rejects.toThrow("disk.list: parameter PATH is not acceptable");
  await expect(executor.run("disk.list", { disk_number: "1\0" })).rejects.toThrow("disk.list: parameter disk_number is not acceptable");
});
