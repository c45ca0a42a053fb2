import { expect, test } from "bun:test";
import { driverRemedy } from "./driver-remedy.ts";

test.each([
  ["dial unix /csi/csi.sock: connect: permission denied", "a user who may open the socket"],
  ["dial unix /csi/csi.sock: connect: no such file or directory", "check --csi-address"],
  ["dial unix /csi/csi.sock: connect: connection refused", "nobody listens"],
  ["rpc error: code = DeadlineExceeded desc = context deadline exceeded", "does not answer"],
  ["context deadline exceeded: rpc error: code = Canceled desc = context canceled", "does not answer"],
  ["something else", "has not crashed"],
])("%s", (because, remedy) => {
  expect(driverRemedy(`no CSI driver answers at /csi/csi.sock: ${because}`)).toContain(remedy);
});
