import { expect, test } from "bun:test";
import { CsiProxyError } from "./csi-proxy-error.ts";
import { inContext, withContext } from "./error-context.ts";

test("an error keeps its code and details behind the context", async () => {
  const inner = new CsiProxyError("NotFound", "not found", { op: "volume.get", win32: 2, wmi: { class: "C", method: "M", code: 5 } });
  const outer = await inContext("volume a: ", Promise.reject(inner)).catch((error) => error);
  expect(outer).toBeInstanceOf(CsiProxyError);
  expect(outer).toMatchObject({
    code: "NotFound",
    message: "volume a: not found",
    op: "volume.get",
    win32: 2,
    wmi: { class: "C", method: "M", code: 5 },
  });
  expect(outer.cause).toBe(inner);
});

test("any other error is an internal one", () => {
  expect(withContext("volume a: ", new TypeError("x is undefined"))).toMatchObject({
    code: "Internal",
    message: "volume a: x is undefined",
  });
});

test("what succeeds is passed on", async () => {
  expect(await inContext("volume a: ", Promise.resolve(7))).toBe(7);
});
