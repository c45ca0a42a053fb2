import { beforeAll, expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { configMap, maps } from "../testing/fixtures.ts";
import { outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
/** The version at which only `a` was there; `a` and `b` are there now. */
let early: string;
const mine = "labelSelector=mine";

beforeAll(async () => {
  const labels = { mine: "yes" };
  early = (await file.admin.post(maps, configMap("a", {}, { labels }))).body.metadata.resourceVersion;
  await file.admin.post(maps, configMap("b", {}, { labels }));
});

const lists: readonly [query: string, said: string][] = [
  ["", "a b"],
  ["resourceVersion=0", "a b"],
  ["resourceVersion=0&resourceVersionMatch=NotOlderThan", "a b"],
  ["resourceVersion=EARLY", "a b"],
  ["resourceVersion=EARLY&resourceVersionMatch=NotOlderThan", "a b"],
  ["resourceVersion=EARLY&resourceVersionMatch=Exact", "a"],
  ["resourceVersion=EARLY&limit=5", "a"],
  ["resourceVersion=EARLY&limit=1&resourceVersionMatch=NotOlderThan", "a"],
  [
    "resourceVersion=abc",
    '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    "resourceVersion=-1",
    '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
  ],
  [
    "resourceVersionMatch=Exact",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    "resourceVersionMatch=NotOlderThan",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    "resourceVersion=0&resourceVersionMatch=Exact",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
  ],
  [
    "resourceVersion=5&resourceVersionMatch=Newest",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
  ],
  [
    "sendInitialEvents=true",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  ],
];

test.each([...lists])("a list with %p", async (query, said) => {
  const answer = await file.admin.get(`${maps}?${mine}&${query.replace("EARLY", early)}`);
  const names = answer.body.items?.map((item: { metadata: { name: string } }) => item.metadata.name).join(" ");
  expect(answer.code === 200 ? names : outcomeOf(answer)).toBe(said);
});

const gets: readonly [query: string, said: string][] = [
  ["resourceVersion=0", "200"],
  ["resourceVersion=EARLY", "200"],
  ["resourceVersion=abc", '500: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
];

test.each([...gets])("a get with %p", async (query, said) => {
  expect(outcomeOf(await file.admin.get(`${maps}/b?${query.replace("EARLY", early)}`))).toBe(said);
});

test("the version of a list is the newest one; every change makes a greater one", async () => {
  const { body: list } = await file.admin.get(maps);
  const { body: changed } = await file.admin.merge(`${maps}/a`, { data: { x: String(list.metadata.resourceVersion) } });
  expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(list.metadata.resourceVersion));
  expect(Number(list.metadata.resourceVersion)).toBeGreaterThan(Number(early));
});

test.each(["a get", "a list", "an exact list"])("%s at a version that is still to come is asked to wait", async (what) => {
  const future = 999_999_999;
  const path = what === "a get" ? `${maps}/a?` : `${maps}?${what === "an exact list" ? "resourceVersionMatch=Exact&" : ""}`;
  const { code, body, headers } = await file.admin.get(`${path}resourceVersion=${future}`);
  expect([code, body.reason, body.message.replace(/: \d+$/, ": <now>"), body.details, headers.get("retry-after")]).toEqual([
    504,
    "Timeout",
    `Timeout: Too large resource version: ${future}, current: <now>`,
    { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
    "1",
  ]);
});
