import { expect, test } from "bun:test";
import { programs } from "../build/programs.ts";
import { readLock } from "./debian/lock.ts";
import { type Platform, partsOf, platforms } from "./description.ts";
import { images, shippedImages } from "./images.ts";
import { packagesOf } from "./layers.ts";
import { readOptions } from "./options.ts";

test("every package of every image is locked for its architectures, else run npm run images -- --update", () => {
  const lock = readLock();
  const needed = new Set(
    images.flatMap((image) =>
      image.platforms
        .map(partsOf)
        .filter(({ os }) => os === "linux")
        .flatMap(({ architecture }) => packagesOf(image).map((name) => `${architecture} ${name}`)),
    ),
  );
  const locked = Object.entries(lock).flatMap(([architecture, packages]) => Object.keys(packages).map((name) => `${architecture} ${name}`));
  expect(locked.sort()).toEqual([...needed].sort());
  for (const each of Object.values(lock).flatMap((packages) => Object.values(packages))) {
    expect(each).toEqual({ version: expect.any(String), source: expect.any(String), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  }
});

test("names are unique, and every image starts its program under a name that it has", () => {
  expect(new Set(images.map(({ name }) => name)).size).toBe(images.length);
  for (const { program, startedAs } of images) expect([program.name, ...program.otherNames]).toContain(startedAs);
});

test("every program that ships has an image under each of its names", () => {
  const names = programs.flatMap(({ name, otherNames }) => [name, ...otherNames]);
  expect(shippedImages.map(({ name }) => name).sort()).toEqual(names.sort());
});

test("the command line chooses images and platforms, all by default", () => {
  expect(readOptions([], images)).toMatchObject({ images, platforms, out: "dist/images", update: false });
  const options = readOptions(["--only", "csi-proxy,hostpath", "--platform=windows/amd64", "--tag", "x"], images);
  expect(options.images.map(({ name }) => name)).toEqual(["csi-proxy", "hostpath"]);
  expect(options).toMatchObject({ platforms: ["windows/amd64"] satisfies Platform[], tag: "x" });
});

test.each([
  [["--only=csi-sidecar"], "--only=csi-sidecar: csi-sidecar is not one of csi-sidecars, csi-attacher"],
  [["--platform=linux/arm"], "--platform=linux/arm: linux/arm is not one of linux/amd64, linux/arm64, windows/amd64"],
  [["--tag=a b"], "--tag=a b: a tag is of letters, digits, _, . and -"],
])("%j is refused with what is possible", (argv, message) => {
  expect(() => readOptions(argv, images)).toThrow(message);
});
