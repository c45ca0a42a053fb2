import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { configMap, maps } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "JSON patches",
    [
      [`POST ${maps}`, configMap("j", { a: "1" }, { annotations: { "b.c/d": "2" } }), "201"],
      [
        `JSON ${maps}/j`,
        [{ op: "test", path: "/data/a", value: "2" }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${maps}/j`,
        [{ op: "test", path: "/data/none", value: "2" }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [`JSON ${maps}/j`, [{ op: "test", path: "/data/none", value: null }], "200"],
      [`JSON ${maps}/j`, [{ op: "replace", path: "/data/none", value: "2" }], "200"],
      [`JSON ${maps}/j`, [{ op: "remove", path: "/data/none" }], "200"],
      [
        `JSON ${maps}/j`,
        [{ op: "add", path: "/none/none", value: "2" }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${maps}/j`,
        [{ op: "add", path: "/metadata/labels/x", value: "2" }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${maps}/j`,
        [{ op: "replace", path: "/metadata/annotations/b.c~1d", value: "3" }],
        "200",
        { "metadata.annotations": { "b.c/d": "3" } },
      ],
      [`JSON ${maps}/j`, [{ op: "copy", from: "/data/a", path: "/data/e" }], "200", { data: { a: "1", e: "1" } }],
      [`JSON ${maps}/j`, [{ op: "move", from: "/data/a", path: "/data/f" }], "200", { data: { e: "1", f: "1" } }],
      [
        `JSON ${maps}/j`,
        [
          { op: "add", path: "/data/x", value: "1" },
          { op: "test", path: "/data/x", value: "2" },
        ],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [`GET ${maps}/j`, undefined, "200", { data: { e: "1", f: "1" } }],
      [`JSON ${maps}/j`, [{ op: "twist", path: "/data/a" }], "422 Invalid: the server rejected our request due to an error in our request"],
      [`JSON ${maps}/j`, { data: {} }, "400 BadRequest"],
      [`JSON ${maps}/j`, "nonsense", "400 BadRequest"],
    ],
  ],
  [
    "merge patches",
    [
      [`POST ${maps}`, configMap("m", { a: "1", b: "2" }, { labels: { x: "1", y: "2" } }), "201"],
      [
        `MERGE ${maps}/m`,
        { data: { a: null, c: "3" }, metadata: { labels: { x: null } } },
        "200",
        { data: { b: "2", c: "3" }, "metadata.labels": { y: "2" } },
      ],
      [`MERGE ${maps}/m`, { data: null }, "200", { data: undefined }],
      [`MERGE ${maps}/m`, { data: { d: null, e: "5" } }, "200", { data: { e: "5" } }],
      [`MERGE ${maps}/m`, { metadata: { labels: { y: null } } }, "200", { "metadata.labels": undefined }],
      [
        `MERGE ${maps}/m`,
        { metadata: { annotations: { "example.com/a": "1" } } },
        "200",
        { "metadata.annotations": { "example.com/a": "1" } },
      ],
      [`MERGE ${maps}/m`, "nonsense", "400 BadRequest"],
      [`MERGE ${maps}/m`, "[]", "400 BadRequest"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

test.each([
  ["application/json", 415],
  ["text/plain", 415],
])("a patch of type %s is refused", async (type, code) => {
  await file.admin.post(maps, configMap("t"));
  const answer = await file.admin.request("PATCH", `${maps}/t`, {}, type);
  expect([answer.code, answer.body.reason]).toEqual([code, "UnsupportedMediaType"]);
  expect(answer.body.message).toBe("415: Unsupported Media Type");
});
