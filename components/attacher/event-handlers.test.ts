import { expect, test } from "bun:test";
import { shouldEnqueue } from "./event-handlers.ts";
import { type attachment, cachedAttachment, deleted, prepared } from "./testing/objects.ts";

type Parts = { status?: object; like?: ReturnType<typeof attachment>; version?: string };

const va = ({ status, like = prepared(), version = "2" }: Parts) =>
  cachedAttachment({
    ...like,
    metadata: { ...like.metadata, resourceVersion: version },
    ...(status && { status: { attached: false, ...status } }),
  });
const attachError = (message = "no") => ({ attachError: { message, time: "2026-01-02T03:04:05Z" } });
const detachError = (message = "no") => ({ detachError: { message, time: "2026-01-02T03:04:05Z" } });

test.each<[string, Parts, Parts, boolean]>([
  ["a resync", { status: attachError() }, { status: attachError(), version: "1" }, true],
  ["something unseen changed", {}, {}, true],
  ["attached", {}, { status: { attached: true } }, true],
  ["an attach error came", {}, { status: attachError() }, false],
  ["an attach error changed", { status: attachError() }, { status: attachError("other") }, false],
  ["a detach error came", {}, { status: detachError() }, false],
  ["a detach error changed", { status: detachError() }, { status: detachError("other") }, false],
  ["an error went", { status: attachError() }, {}, false],
  ["only managedFields changed", { status: attachError() }, { status: attachError() }, false],
  ["deleted", { status: attachError() }, { status: attachError(), like: prepared({}, deleted) }, true],
  ["finalizers changed", { status: attachError() }, { status: attachError(), like: prepared({}, { finalizers: [] }) }, true],
  ["the node id changed", { status: attachError() }, { status: attachError(), like: prepared({}, { annotations: {} }) }, true],
  ["the spec changed", { status: attachError() }, { status: attachError(), like: prepared({ nodeName: "other" }) }, true],
  ["attached by somebody, with an error", { status: attachError() }, { status: { ...attachError(), attached: true } }, true],
])("%s", (_what, old, changed, expected) => {
  expect(shouldEnqueue(va({ version: "1", ...old }), va(changed))).toBe(expected);
});
