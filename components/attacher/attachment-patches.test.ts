import { describe, expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { attachErrorPatch, attachedPatch, detachErrorPatch, detachedPatch } from "./attachment-patches.ts";
import { attachment, cachedAttachment } from "./testing/objects.ts";

const metadata = { uid: "uid-of-va" };
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const time = "2026-01-02T03:04:05Z";
const va = (status?: object) => cachedAttachment({ ...attachment(), ...(status && { status: { attached: false, ...status } }) });

describe("the status of an attached volume", () => {
  test.each<[string, object | undefined, Record<string, string>, object | null]>([
    ["no status yet, nothing to tell", undefined, {}, null],
    ["what the driver tells", {}, { foo: "bar" }, { foo: "bar" }],
    ["the same again", { attachmentMetadata: { foo: "bar" } }, { foo: "bar" }, { foo: "bar" }],
    ["something else than before", { attachmentMetadata: { old: "1", both: "1" } }, { both: "2" }, { old: null, both: "2" }],
    [
      "a key that every object inherits, and no more",
      { attachmentMetadata: { constructor: "1" } },
      { a: "2" },
      { constructor: null, a: "2" },
    ],
    ["keys that every object inherits", {}, withInheritedNames("1"), withInheritedNames("1")],
    ["nothing any more", { attachmentMetadata: { old: "1" } }, {}, null],
  ])("%s", (_what, status, publishContext, attachmentMetadata) => {
    expect(attachedPatch(va(status), publishContext)).toEqual({
      type: "merge",
      body: { metadata, status: { attached: true, attachError: null, attachmentMetadata } },
    });
  });
});

test("errors have whole seconds; one that is not the driver's clears an older code", () => {
  expect(attachErrorPatch(va(), "no", now, 8).body).toEqual({ metadata, status: { attachError: { message: "no", time, errorCode: 8 } } });
  expect(attachErrorPatch(va(), "no", now, undefined).body).toEqual({
    metadata,
    status: { attachError: { message: "no", time, errorCode: null } },
  });
  expect(detachErrorPatch(va(), "no", now).body).toEqual({ metadata, status: { detachError: { message: "no", time } } });
});

test("a detached volume has neither metadata nor an error", () => {
  expect(detachedPatch(va()).body).toEqual({ metadata, status: { attached: false, attachmentMetadata: null, detachError: null } });
});
