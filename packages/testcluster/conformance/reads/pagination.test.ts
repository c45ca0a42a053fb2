import { beforeAll, expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { configMap, maps } from "../testing/fixtures.ts";
import { outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
// biome-ignore lint/suspicious/noExplicitAny: list answers
type List = any;
const mine = "labelSelector=mine%3Dyes";
const names = (list: List): string[] => list.items.map((item: { metadata: { name: string } }) => item.metadata.name);
const page = async (query: string): Promise<List> => (await file.admin.get(`${maps}?${query}`)).body;

beforeAll(async () => {
  await file.admin.delete(maps);
  for (const name of ["a", "b", "c", "d", "e"]) await file.admin.post(maps, configMap(name, {}, { labels: { mine: "yes" } }));
});

test("pages follow each other in the order of names, all at one version", async () => {
  const first = await page("limit=2");
  expect([first.kind, first.apiVersion, names(first), first.metadata.remainingItemCount]).toEqual(["ConfigMapList", "v1", ["a", "b"], 3]);
  expect(first.items[0].kind).toBeUndefined();
  await file.admin.post(maps, configMap("bb"));
  await file.admin.delete(`${maps}/d`);
  const second = await page(`limit=2&continue=${first.metadata.continue}`);
  expect([names(second), second.metadata.remainingItemCount, second.metadata.resourceVersion]).toEqual([
    ["c", "d"],
    1,
    first.metadata.resourceVersion,
  ]);
  const third = await page(`limit=2&continue=${second.metadata.continue}`);
  expect([names(third), third.metadata.continue, third.metadata.remainingItemCount]).toEqual([["e"], undefined, undefined]);
  await file.admin.delete(`${maps}/bb`);
  await file.admin.post(maps, configMap("d", {}, { labels: { mine: "yes" } }));
});

test("the rest may be asked for without a limit", async () => {
  const first = await page("limit=1");
  const rest = await page(`continue=${first.metadata.continue}`);
  expect([names(rest), rest.metadata.continue]).toEqual([["b", "c", "d", "e"], undefined]);
});

test("with a selector there is no remainingItemCount", async () => {
  const first = await page(`limit=2&${mine}`);
  expect([names(first), first.metadata.remainingItemCount]).toEqual([["a", "b"], undefined]);
  expect(typeof first.metadata.continue).toBe("string");
});

test("a limit that fits exactly leaves nothing to continue", async () => {
  const all = await page("limit=5");
  expect([names(all).length, all.metadata.continue]).toEqual([5, undefined]);
});

test("version 0 ignores the limit", async () => {
  const all = await page("limit=2&resourceVersion=0");
  expect([names(all).length, all.metadata.continue]).toEqual([5, undefined]);
});

const refusals: readonly [what: string, query: string, said: string][] = [
  [
    "a version beside a token",
    "limit=1&continue=TOKEN&resourceVersion=1",
    "400 BadRequest: specifying resource version is not allowed when using continue",
  ],
  [
    "a match beside a token",
    "limit=1&continue=TOKEN&resourceVersionMatch=Exact",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]',
  ],
  ["a negative limit", "limit=-1", "200"],
  ["a limit that is no number", "limit=many", '400 BadRequest: strconv.ParseInt: parsing "many": invalid syntax'],
];
test.each([...refusals])("%s", async (_what, query, said) => {
  const { metadata } = await page("limit=2");
  expect(outcomeOf(await file.admin.get(`${maps}?${query.replace("TOKEN", metadata.continue)}`))).toBe(said);
});

test("a token that is none", async () => {
  expect(outcomeOf(await file.admin.get(`${maps}?continue=abc`))).toStartWith("400 BadRequest: invalid continue token: ");
});
