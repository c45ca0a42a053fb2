import { describe, expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { BlockMetadataType } from "@csi-sidecars/csi";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, named, snap } from "../testing/requests.ts";

const blockSize = 4096;

async function write(world: World, id: string, blocks: readonly number[], byte = 1): Promise<void> {
  const file = await open(join(world.stateDir, id), "r+");
  for (const number of blocks) await file.write(Buffer.alloc(blockSize, byte), 0, blockSize, number * blockSize);
  await file.close();
}

const volumeOf = (world: World, blocks: number, name = "a") =>
  create(world, { ...named(name), volumeCapabilities: [block()], capacityRange: { requiredBytes: BigInt(blocks * blockSize) } });

/** Messages as lists of `first+count` in blocks. */
async function messages(
  answers: AsyncIterable<{ readonly blockMetadata: readonly { readonly byteOffset: bigint; readonly sizeBytes: bigint }[] }>,
) {
  const all: string[][] = [];
  const number = (bytes: bigint) => Number(bytes) / blockSize;
  for await (const { blockMetadata } of answers) {
    all.push(blockMetadata.map(({ byteOffset, sizeBytes }) => `${number(byteOffset)}+${number(sizeBytes)}`));
  }
  return all;
}

const on: Partial<HostpathOptions> = { snapshotMetadata: true };
const merging: Partial<HostpathOptions> = { ...on, snapshotMetadataBlockType: "VARIABLE_LENGTH" };

describe("blocks of 100 that have content", () => {
  const written = [3, 4, 5, 20, 21, 60, 99];
  test.each<[string, Partial<HostpathOptions>, object, string[][]]>([
    ["one by one", on, {}, [["3+1", "4+1", "5+1", "20+1", "21+1", "60+1", "99+1"]]],
    ["three in a message", on, { maxResults: 3 }, [["3+1", "4+1", "5+1"], ["20+1", "21+1", "60+1"], ["99+1"]]],
    ["from an offset", on, { startingOffset: BigInt(20 * blockSize) }, [["20+1", "21+1", "60+1", "99+1"]]],
    ["from within a block", on, { startingOffset: BigInt(20 * blockSize + 7) }, [["20+1", "21+1", "60+1", "99+1"]]],
    ["from the end", on, { startingOffset: BigInt(100 * blockSize) }, []],
    ["neighbours together", merging, {}, [["3+3", "20+2", "60+1", "99+1"]]],
    [
      "neighbours together, two in a message",
      merging,
      { maxResults: 2 },
      [
        ["3+3", "20+2"],
        ["60+1", "99+1"],
      ],
    ],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await volumeOf(world, 100);
    await write(world, id, written);
    const snapshotId = await snap(world, "s", id);
    expect(await messages(world.client.snapshotMetadata.getMetadataAllocated({ snapshotId, ...request }))).toEqual(expected);
  });

  test("say their kind and the size of the volume; a snapshot without content says nothing", async () => {
    await using world = await startWorld(on);
    const id = await volumeOf(world, 100);
    const empty = await snap(world, "empty", id);
    await write(world, id, [1]);
    const snapshotId = await snap(world, "s", id);
    for await (const answer of world.client.snapshotMetadata.getMetadataAllocated({ snapshotId })) {
      expect(answer).toMatchObject({ blockMetadataType: BlockMetadataType.FIXED_LENGTH, volumeCapacityBytes: BigInt(100 * blockSize) });
    }
    expect(await messages(world.client.snapshotMetadata.getMetadataAllocated({ snapshotId: empty }))).toEqual([]);
  });
});

describe("blocks that changed between two snapshots", () => {
  test.each<[string, Partial<HostpathOptions>, readonly number[], object, string[][]]>([
    ["five of them", on, [2, 4, 6, 7, 80], {}, [["2+1", "4+1", "6+1", "7+1", "80+1"]]],
    ["in small messages", on, [2, 4, 6, 7, 80, 90, 91], { maxResults: 3 }, [["2+1", "4+1", "6+1"], ["7+1", "80+1", "90+1"], ["91+1"]]],
    ["from an offset", on, [2, 4, 6], { startingOffset: BigInt(4 * blockSize) }, [["4+1", "6+1"]]],
    ["none", on, [], {}, []],
    ["three neighbours as one", merging, [10, 11, 12], {}, [["10+3"]]],
  ])("%s", async (_, options, changed, request, expected) => {
    await using world = await startWorld(options);
    const id = await volumeOf(world, 100);
    await write(world, id, [1, 2, 3]);
    const baseSnapshotId = await snap(world, "base", id);
    await write(world, id, changed, 2);
    const targetSnapshotId = await snap(world, "target", id);
    const delta = world.client.snapshotMetadata.getMetadataDelta({ baseSnapshotId, targetSnapshotId, ...request });
    expect(await messages(delta)).toEqual(expected);
  });

  test("what one of them is longer by has changed, either way", async () => {
    await using world = await startWorld(merging);
    const id = await volumeOf(world, 95);
    const short = await snap(world, "short", id);
    await world.client.controller.controllerExpandVolume({ volumeId: id, capacityRange: { requiredBytes: BigInt(100 * blockSize) } });
    const long = await snap(world, "long", id);
    const delta = (baseSnapshotId: string, targetSnapshotId: string) =>
      messages(world.client.snapshotMetadata.getMetadataDelta({ baseSnapshotId, targetSnapshotId }));
    expect(await delta(short, long)).toEqual([["95+5"]]);
    expect(await delta(long, short)).toEqual([["95+5"]]);
  });
});

describe("a request is refused", () => {
  test("for what is wrong with it", async () => {
    await using world = await startWorld(on);
    const [a, b] = [await volumeOf(world, 2), await volumeOf(world, 2, "b")];
    const [s, t, m] = [await snap(world, "s", a), await snap(world, "t", b), await snap(world, "m", await create(world, named("mount")))];
    const { snapshotMetadata } = world.client;
    const allocated = (request: object) => outcome(messages(snapshotMetadata.getMetadataAllocated(request)));
    const delta = (request: object) => outcome(messages(snapshotMetadata.getMetadataDelta(request)));
    expect(await allocated({})).toBe("InvalidArgument: snapshot_id missing in request");
    expect(await allocated({ snapshotId: "x" })).toBe("NotFound: snapshot id x does not exist in the snapshots list");
    expect(await allocated({ snapshotId: m })).toBe(`InvalidArgument: snapshot ${m} is not of a block volume`);
    expect(await allocated({ snapshotId: s, startingOffset: -1n })).toStartWith("OutOfRange");
    expect(await allocated({ snapshotId: s, startingOffset: 8193n })).toStartWith("OutOfRange");
    expect(await delta({ baseSnapshotId: s })).toBe("InvalidArgument: target_snapshot_id missing in request");
    expect(await delta({ baseSnapshotId: s, targetSnapshotId: t })).toBe(
      `InvalidArgument: snapshots ${s} and ${t} are of different volumes`,
    );
    expect(await delta({ baseSnapshotId: s, targetSnapshotId: "x" })).toStartWith("NotFound");
    world.driver.script.snapshot.readyAfter({ calls: 5 });
    expect(await allocated({ snapshotId: await snap(world, "later", a) })).toStartWith("Unavailable");
    world.driver.script.capabilities.set({ snapshotMetadata: false });
    expect(await allocated({ snapshotId: s })).toStartWith("Unimplemented");
  });
});
