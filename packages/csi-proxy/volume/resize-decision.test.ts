import { describe, expect, test } from "bun:test";
import { decideResize } from "./resize-decision.ts";

const mebibyte = 2n ** 20n;
const current = 1024n * mebibyte;

describe("decideResize", () => {
  test.each<[string, bigint, boolean, string | undefined]>([
    ["growing by 100 MiB", current + 100n * mebibyte, true, undefined],
    ["growing by more", 2n ** 62n, true, undefined],
    [
      "growing by one byte less",
      current + 100n * mebibyte - 1n,
      false,
      "growing from 1073741824 to 1178599423 bytes is less than 100 MiB and is not done",
    ],
    ["growing by one byte", current + 1n, false, "growing from 1073741824 to 1073741825 bytes is less than 100 MiB and is not done"],
    ["staying", current, false, undefined],
    ["shrinking", 1n, false, "shrinking from 1073741824 to 1 bytes is not done"],
  ])("%s", (_, wanted, shouldResize, ignored) => {
    expect(decideResize(current, wanted)).toEqual({ shouldResize, ...(ignored !== undefined && { ignored }) });
  });
});
