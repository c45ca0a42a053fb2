import { expect, test } from "bun:test";
import { apiRequest } from "../shared/audit-log.ts";
import { summaryOf } from "./window.ts";

const request = (verb: string, resource: string, code: number, at: number) => apiRequest({ verb, resource, subresource: "", code, at });

test("events are told from other requests, and neither leases nor watches count", () => {
  const requests = [
    request("update", "leases", 200, 100),
    request("watch", "persistentvolumes", 200, 110),
    request("list", "events", 200, 120),
    request("create", "events", 201, 130),
    request("patch", "events", 404, 150),
    request("get", "persistentvolumeclaims", 200, 190),
  ];
  expect(summaryOf(requests, 100)).toEqual({ requests: 1, events: 2, refused: 1, lastEventMs: 50 });
  expect(summaryOf([], 100)).toEqual({ requests: 0, events: 0, refused: 0, lastEventMs: 0 });
});
