import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Wire, wire } from "./testing/wire.ts";

let server: ApiServer;
let admin: Wire;
beforeEach(async () => {
  server = await startApiServer();
  admin = wire(server, { token: server.adminToken });
  for (const name of ["a", "b", "c", "d", "e"]) await admin.post(maps, { metadata: { name } });
});
afterEach(() => server[Symbol.asyncDispose]());

const maps = "/api/v1/namespaces/default/configmaps";
const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name).join("");
const list = async (query: string) => (await admin.get(`${maps}?${query}`)).body;

test("a page whose moment is forgotten is gone, but offers to go on with the present", async () => {
  const { metadata } = await list("limit=2");
  await admin.delete(`${maps}/d`);
  server.compact();
  const { code, body } = await admin.get(`${maps}?limit=9&continue=${metadata.continue}`);
  expect([code, body.reason]).toEqual([410, "Expired"]);
  expect(names(await list(`limit=9&continue=${body.metadata.continue}`))).toBe("ce");
});

test("an exact list of a forgotten moment is gone, one that may be newer is not", async () => {
  const { resourceVersion } = (await admin.get(`${maps}/b`)).body.metadata;
  expect(names(await list(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`))).toBe("ab");
  server.compact();
  const { code, reason, message } = await list(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  expect([code, reason, message]).toEqual([410, "Expired", "The resourceVersion for the provided list is too old."]);
  expect(names(await list(`resourceVersion=${resourceVersion}`))).toBe("abcde");
});

test("version 0 is whatever is there, all of it", async () => {
  expect(names(await list("resourceVersion=0&limit=1"))).toBe("abcde");
});
