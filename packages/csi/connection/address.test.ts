import { describe, expect, test } from "bun:test";
import { failureOf } from "../grpc/testing/failure.ts";
import { parseAddress } from "./address.ts";
import { connectDriver } from "./connect.ts";

describe("parseAddress", () => {
  test.each([
    ["/csi/csi.sock", { kind: "unix", path: "/csi/csi.sock" }],
    ["unix:///csi/csi.sock", { kind: "unix", path: "/csi/csi.sock" }],
    ["unix:////csi/csi.sock", { kind: "unix", path: "//csi/csi.sock" }],
    ["unix:/csi/csi.sock", { kind: "unix", path: "/csi/csi.sock" }],
    ["unix:csi.sock", { kind: "unix", path: "csi.sock" }],
    ["unix://C:\\csi\\csi.sock", { kind: "unix", path: "C:\\csi\\csi.sock" }],
    ["dns:///driver.local:9000", { kind: "tcp", host: "driver.local", port: 9000 }],
    ["127.0.0.1:9000", { kind: "tcp", host: "127.0.0.1", port: 9000 }],
    ["[::1]:9000", { kind: "tcp", host: "::1", port: 9000 }],
  ] as const)("%s", (address, target) => {
    expect(parseAddress(address)).toEqual(target);
  });

  test.each(["", "csi.sock", "csi/csi.sock", "host", "host:99999", "unix:", "unix://", "/", "http://host:80"])(
    "refuses %p and says what to write",
    (address) => {
      expect(() => parseAddress(address)).toThrow(`csi-address ${JSON.stringify(address)}: use the absolute path of a socket`);
    },
  );
});

test.each(["dns:///driver:9000", "driver:9000", "csi.sock"])("%s cannot have a loss policy", async (address) => {
  const connecting = connectDriver({ address, onLoss: () => "refuse" });
  expect((await failureOf(connecting)).message).toContain("OnConnectionLoss callback only supported for unix:// addresses");
});
