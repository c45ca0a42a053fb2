import { describe, expect, test } from "bun:test";
import { parseAddress } from "./parse-address.ts";

const unix = (path: string) => ({ kind: "unix", path }) as const;
const pipe = unix("\\\\.\\pipe\\csi");

describe("parseAddress", () => {
  test.each([
    ["/csi/csi.sock", unix("/csi/csi.sock")],
    ["unix:///csi/csi.sock", unix("/csi/csi.sock")],
    ["unix:////csi/csi.sock", unix("//csi/csi.sock")],
    ["unix:/csi/csi.sock", unix("/csi/csi.sock")],
    ["unix:csi.sock", unix("csi.sock")],
    ["unix:///C:/csi.sock", unix("/C:/csi.sock")],
    ["dns:///driver.local:9000", { kind: "tcp", host: "driver.local", port: 9000 }],
    ["127.0.0.1:9000", { kind: "tcp", host: "127.0.0.1", port: 9000 }],
    ["[::1]:9000", { kind: "tcp", host: "::1", port: 9000 }],
  ] as const)("%s", (address, target) => {
    expect(parseAddress(address, "linux")).toEqual(target);
  });

  test.each([
    ["unix://C:\\csi\\csi.sock", unix("C:\\csi\\csi.sock")],
    ["unix://C:\\\\csi\\\\csi.sock", unix("C:\\\\csi\\\\csi.sock")],
    ["unix:C:\\csi\\csi.sock", unix("C:\\csi\\csi.sock")],
    ["unix:///C:/csi/csi.sock", unix("C:/csi/csi.sock")],
    ["unix:///C:\\csi\\csi.sock", unix("C:\\csi\\csi.sock")],
    ["unix:/C:/csi/csi.sock", unix("C:/csi/csi.sock")],
    ["unix:///csi/csi.sock", unix("/csi/csi.sock")],
    ["/csi/csi.sock", unix("/csi/csi.sock")],
    ["C:\\csi\\csi.sock", unix("C:\\csi\\csi.sock")],
    ["C:/csi/csi.sock", unix("C:/csi/csi.sock")],
    ["npipe://\\\\.\\pipe\\csi", pipe],
    ["npipe:////./pipe/csi", pipe],
    ["npipe://./pipe/csi", pipe],
    ["npipe:\\\\.\\pipe\\csi", pipe],
    ["\\\\.\\pipe\\csi", pipe],
    ["driver:9000", { kind: "tcp", host: "driver", port: 9000 }],
  ] as const)("on Windows %s", (address, target) => {
    expect(parseAddress(address, "win32")).toEqual(target);
  });

  test.each(["", "csi.sock", "csi/csi.sock", "host", "host:99999", "unix:", "unix://", "/", "http://host:80"])(
    "refuses %p and says what to write",
    (address) => {
      for (const platform of ["linux", "win32"] as const)
        expect(() => parseAddress(address, platform)).toThrow(`csi-address ${JSON.stringify(address)}: use the absolute path of a socket`);
    },
  );

  test.each([
    "npipe:",
    "npipe://",
    "npipe://csi",
    "npipe:////./pipe/",
    "\\\\.\\pipe\\",
    "\\\\server\\share\\csi.sock",
    "C:csi.sock",
    "C:\\",
  ])("refuses %p on Windows", (address) => {
    expect(() => parseAddress(address, "win32")).toThrow("npipe://\\\\.\\pipe\\name");
  });

  test("refuses named pipes elsewhere", () => {
    expect(() => parseAddress("npipe:////./pipe/csi", "linux")).toThrow("named pipes exist on Windows only");
  });
});
