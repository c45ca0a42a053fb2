import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, type DriverClient, GrpcError, VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import type { MountRecord } from "./mount-records.ts";
import { VolumeUsages } from "./volume-usage.ts";

const record: MountRecord = {
  ...{ pod: "default/app", podUid: "u", volumeName: "pv", volumeId: "v", published: true },
  ...{ stagingTargetPath: "/staged/pv", targetPath: "/pods/default/app/disk" },
};
const bytes = { unit: Unit.BYTES, used: 12_345_678n, total: 1024n ** 3n, available: 0n };

function startWorld(all: MountRecord[], answer: () => object) {
  const clock = new FakeClock();
  const asked: object[] = [];
  const nodeGetVolumeStats = async (request: object) => {
    asked.push(request);
    return answer();
  };
  const driver = { node: { nodeGetVolumeStats } } as unknown as DriverClient;
  return { clock, asked, usages: new VolumeUsages({ driver, clock, records: { all } }) };
}

test("the driver is asked once a minute, for what is mounted", async () => {
  const { clock, asked, usages } = startWorld([record, { ...record, targetPath: "/other", published: false }], () => ({ usage: [bytes] }));
  await usages.refresh();
  await usages.refresh();
  expect(asked).toEqual([{ volumeId: "v", volumePath: record.targetPath, stagingTargetPath: "/staged/pv" }]);
  expect([usages.at(record.targetPath), usages.at("/other")]).toEqual(["11.8Mi of 1Gi used", ""]);
  await clock.advance(60_000);
  await usages.refresh();
  expect(asked).toHaveLength(2);
});

test("what is wrong with a volume is told, and what the driver refuses", async () => {
  const answers = [() => ({ usage: [], volumeCondition: { abnormal: true, message: "no disk" } })];
  const refused = () => {
    throw new GrpcError(Code.Internal, "no stats");
  };
  const { clock, usages } = startWorld([record], () => (answers.shift() ?? refused)());
  await usages.refresh();
  expect(usages.at(record.targetPath)).toBe("abnormal: no disk");
  await clock.advance(60_000);
  await usages.refresh();
  expect(usages.at(record.targetPath)).toBe("NodeGetVolumeStats: rpc error: code = Internal desc = no stats");
});

test("a volume that is unmounted is forgotten", async () => {
  const mounted = [record];
  const { usages } = startWorld(mounted, () => ({ usage: [bytes] }));
  await usages.refresh();
  mounted.pop();
  await usages.refresh();
  expect(usages.at(record.targetPath)).toBe("");
});
