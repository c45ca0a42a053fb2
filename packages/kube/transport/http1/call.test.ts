import { expect, test } from "bun:test";
import { requestText } from "./call.ts";

const { signal } = new AbortController();
const headers = { accept: "application/json" };

test.each([
  ["GET", "https://10.0.0.1:6443", undefined, "GET /api?x=1 HTTP/1.1\r\nhost: 10.0.0.1:6443\r\naccept: application/json\r\n\r\n"],
  [
    "POST",
    "https://rancher.example/k8s/clusters/c",
    '{"a":"ä"}',
    'POST /k8s/clusters/c/api?x=1 HTTP/1.1\r\nhost: rancher.example\r\naccept: application/json\r\ncontent-length: 10\r\n\r\n{"a":"ä"}',
  ],
  ["PUT", "http://[::1]:80", undefined, "PUT /api?x=1 HTTP/1.1\r\nhost: [::1]\r\naccept: application/json\r\ncontent-length: 0\r\n\r\n"],
])("%s %s", (method, server, body, text) => {
  expect(requestText({ method, path: "/api?x=1", headers, body, signal }, new URL(server))).toBe(text);
});

test.each([
  ["a path with a space", { path: "/a b" }],
  ["a path with a line of its own", { path: "/a\r\nx: y" }],
  ["a header with a line of its own", { headers: { accept: "a\r\nx: y" } }],
  ["a name that is none", { headers: { "a: b\r\nc": "d" } }],
])("%s is not sent", (_, wrong) => {
  const request = { method: "GET", path: "/api", headers, signal, ...wrong };
  expect(() => requestText(request, new URL("https://server"))).toThrow(TypeError);
});
