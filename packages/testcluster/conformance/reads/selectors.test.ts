import { beforeAll, expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, claim, claims, configMap, events, maps, pods, secrets, volume, volumes } from "../testing/fixtures.ts";

const file = fileCluster(() => startCluster());

beforeAll(async () => {
  const { admin } = file;
  await admin.post(maps, configMap("a", {}, { labels: { app: "x", tier: "front" } }));
  await admin.post(maps, configMap("b", {}, { labels: { app: "y", tier: "" } }));
  await admin.post(maps, configMap("c"));
  await admin.post(volumes, volume("a", {}, { labels: { app: "x" } }));
  await admin.post(attachments, attachment("a"));
  await admin.post(claims, claim("a"));
  await admin.post(secrets, { metadata: { name: "a" }, type: "example.com/t" });
  await admin.post(pods, { metadata: { name: "a" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } });
  const involvedObject = { kind: "Pod", namespace: "default", name: "a", uid: "u" };
  await admin.post(events, { metadata: { name: "a" }, involvedObject, reason: "R", type: "Normal", source: { component: "s" } });
});

/** Names of the objects, or the refusal. */
async function selected(path: string, selector: string, by: "labelSelector" | "fieldSelector"): Promise<string> {
  const { code, body } = await file.admin.get(`${path}?${by}=${encodeURIComponent(selector)}`);
  if (code !== 200) return `${code} ${body.reason}: ${body.message}`;
  const names = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  return names.filter((name: string) => name !== "kube-root-ca.crt").join(" ");
}

test.each([
  ["app=x", "a"],
  ["app==x", "a"],
  ["app!=x", "b c"],
  ["app in (x,y)", "a b"],
  ["app notin (x)", "b c"],
  ["app", "a b"],
  ["!app", "c"],
  ["tier=", "b"],
  ["app=x,tier=front", "a"],
  ["app=x,tier!=front", ""],
  [" app = x ", "a"],
  ["app in (x", "400 BadRequest: unable to parse requirement: found '', expected: ',' or ')'"],
  ["app=x=y", "400 BadRequest: found '=', expected: ',' or 'end of string'"],
  ["app=x y", "400 BadRequest: found 'y', expected: ',' or 'end of string'"],
  [
    "-app=x",
    "400 BadRequest: unable to parse requirement: <nil>: Invalid value: \"-app\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    "app=-x",
    "400 BadRequest: unable to parse requirement: values[0][app]: Invalid value: \"-x\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [",", "400 BadRequest: found ',', expected: !, identifier, or 'end of string'"],
])("label selector %p", async (selector, names) => {
  expect(await selected(maps, selector, "labelSelector")).toBe(names);
});

test.each([
  [maps, "metadata.name=a", "a"],
  [maps, "metadata.name!=a", "b c"],
  [maps, "metadata.namespace=default,metadata.name=b", "b"],
  [maps, "metadata.namespace=other", ""],
  [maps, "data.k=v", '400 BadRequest: "data.k" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  [maps, "metadata.name", "400 BadRequest: invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  [
    maps,
    "metadata.labels.app=x",
    '400 BadRequest: "metadata.labels.app" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [volumes, "metadata.name=a", "a"],
  [volumes, "name=a", '400 BadRequest: "name" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  [
    volumes,
    "status.phase=Pending",
    '400 BadRequest: "status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [attachments, "metadata.name=a", "a"],
  [
    attachments,
    "spec.nodeName=node-1",
    '400 BadRequest: "spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [claims, "metadata.name=a", "a"],
  [
    claims,
    "spec.volumeName=x",
    '400 BadRequest: "spec.volumeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [secrets, "type=example.com/t", "a"],
  [secrets, "type!=example.com/t", ""],
  [pods, "spec.nodeName=n", "a"],
  [pods, "status.phase=Pending,spec.nodeName=other", ""],
  [events, "involvedObject.name=a,involvedObject.kind=Pod,involvedObject.uid=u", "a"],
  [events, "reason=R,type=Normal,source=s", "a"],
  [events, "reason=Other", ""],
  [events, "message=m", "400 BadRequest: field label not supported: message"],
])("field selector on %s: %s", async (path, selector, names) => {
  expect(await selected(path, selector, "fieldSelector")).toBe(names);
});
