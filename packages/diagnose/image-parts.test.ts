import { expect, test } from "bun:test";
import { imageParts } from "./image-parts.ts";

test.each([
  ["csi-attacher", { name: "csi-attacher" }],
  ["registry.example.com:5000/sig-storage/csi-attacher:v4.8.0@sha256:abc", { name: "csi-attacher", tag: "v4.8.0" }],
  ["registry.example.com:5000/csi-attacher", { name: "csi-attacher" }],
  ["sig-storage/csi-attacher@sha256:abc", { name: "csi-attacher" }],
  ["", { name: "" }],
])("%p", (image, parts) => {
  expect<unknown>(imageParts(image)).toEqual(parts);
});
