import { describe, expect, test } from "bun:test";
import { AttachmentState } from "./attachment-state.ts";
import { needsWork, shouldEnqueue } from "./event-handlers.ts";
import { attachment, cachedAttachment, deleted, driverInfo, foreign, prepared } from "./testing/objects.ts";

type Parts = { status?: object; like?: ReturnType<typeof attachment>; version?: string };

const va = ({ status, like = prepared(), version = "2" }: Parts) =>
  cachedAttachment({
    ...like,
    metadata: { ...like.metadata, resourceVersion: version },
    ...(status && { status: { attached: false, ...status } }),
  });
const attachError = (message = "no") => ({ attachError: { message, time: "2026-01-02T03:04:05Z" } });
const detachError = (message = "no") => ({ detachError: { message, time: "2026-01-02T03:04:05Z" } });

describe("shouldEnqueue", () => {
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
});

describe("needsWork", () => {
  const released = prepared({}, { ...deleted, finalizers: [foreign] });
  test.each<[string, Parts, (state: AttachmentState) => void, boolean]>([
    ["new", { like: attachment() }, () => {}, true],
    ["of another driver", { like: attachment({ spec: { attacher: "other.example.com" } }) }, (state) => state.forceSync("va"), false],
    ["not attached yet", { status: attachError() }, () => {}, true],
    ["attached", { status: { attached: true } }, () => {}, false],
    ["attached, but the driver contradicts it", { status: { attached: true } }, (state) => state.forceSync("va"), true],
    ["deleted, with our finalizer", { like: prepared({}, deleted) }, () => {}, true],
    ["deleted, without our finalizer", { like: released }, () => {}, false],
    ["deleted, without our finalizer, but the driver lists it", { like: released }, (state) => state.forceSync("va"), true],
    ["detached, but its status does not say so", { like: released }, (state) => state.detached(va({ like: released })), true],
  ])("%s", (_what, parts, happened, expected) => {
    const state = new AttachmentState();
    happened(state);
    expect(needsWork(va(parts), { driver: driverInfo, state })).toBe(expected);
  });
});
