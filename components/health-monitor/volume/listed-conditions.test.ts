import { expect, test } from "bun:test";
import { ListVolumesResponse_Entry as Entry } from "@csi-sidecars/csi";
import { ListedConditions } from "./listed-conditions.ts";

const abnormal = (volumeId: string, message = "broken") =>
  Entry.fromPartial({ volume: { volumeId }, status: { volumeCondition: { abnormal: true, message } } });
const normal = (volumeId: string) =>
  Entry.fromPartial({ volume: { volumeId }, status: { volumeCondition: { abnormal: false, message: "ok" } } });

/** A cluster with the volumes `a` to `d`, of which `c` and `d` were reported as abnormal. */
const listed = (...pages: readonly (readonly Entry[])[]) => {
  const conditions = new ListedConditions({
    has: (handle) => "abcd".includes(handle),
    isReported: (handle) => "cd".includes(handle),
    expected: ["a", "b", "c"],
  });
  for (const page of pages) conditions.addPage(page);
  return conditions;
};
const broken = { abnormal: true, message: "broken" };
const healthy = { abnormal: false, message: "" };

test.each<[string, readonly (readonly Entry[])[], readonly [string, object][]]>([
  [
    "abnormal volumes are kept",
    [[abnormal("a"), normal("b")], [abnormal("c")]],
    [
      ["a", broken],
      ["c", broken],
    ],
  ],
  ["healthy ones are if they were not", [[normal("a"), normal("c")]], [["c", healthy]]],
  ["a volume that the cluster does not have is not", [[abnormal("other"), normal("another")]], []],
  [
    "no status, or no condition, is healthy",
    [[Entry.fromPartial({ volume: { volumeId: "c" } }), Entry.fromPartial({ volume: { volumeId: "d" }, status: {} })]],
    [
      ["c", healthy],
      ["d", healthy],
    ],
  ],
  ["an entry without a volume is skipped", [[Entry.fromPartial({ status: { volumeCondition: broken } }), abnormal("a")]], [["a", broken]]],
  [
    "the later of two entries counts",
    [
      [abnormal("a"), abnormal("b", "first"), normal("c")],
      [normal("a"), abnormal("b"), abnormal("c")],
    ],
    [
      ["b", broken],
      ["c", broken],
    ],
  ],
  ["a message may be empty", [[abnormal("a", "")]], [["a", { abnormal: true, message: "" }]]],
])("%s", (_, pages, expected) => {
  expect([...listed(...pages).conditions]).toEqual([...expected] as never);
});

test("of a long message the beginning is kept", () => {
  const message = listed([abnormal("a", "é".repeat(50_000))]).conditions.get("a")?.message ?? "";
  expect(Buffer.byteLength(message)).toBe(16 * 1024);
});

test("expected volumes are unlisted until they are in a page, whatever their condition", () => {
  expect([...listed().unlisted]).toEqual(["a", "b", "c"]);
  expect([...listed([normal("a")], [abnormal("c")]).unlisted]).toEqual(["b"]);
});
