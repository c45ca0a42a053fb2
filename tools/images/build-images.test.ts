import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { file } from "./archive/entry.ts";
import { readTar } from "./archive/read-tar.ts";
import { type BuiltImage, buildImages, type ImageBuild } from "./build-images.ts";
import { type ImageDescription, platforms } from "./description.ts";
import { blobPath, digestOf } from "./oci/blob.ts";
import { validateLayout } from "./testing/validate-layout.ts";

const sidecars: ImageDescription = {
  name: "csi-sidecars",
  about: "All of them",
  platforms,
  program: { name: "csi-sidecars", otherNames: ["csi-attacher"] },
  startedAs: "csi-sidecars",
  tools: [],
  user: "0:0",
};
const attacher: ImageDescription = {
  ...sidecars,
  name: "csi-attacher",
  startedAs: "csi-attacher",
  platforms: ["linux/amd64", "linux/arm64"],
};
const driver: ImageDescription = {
  ...sidecars,
  name: "driver",
  platforms: ["linux/amd64"],
  program: { name: "driver", otherNames: [] },
  startedAs: "driver",
  tools: [{ package: "mount", files: ["bin/mount"] }],
};

/** Small programs, and packages of our making. */
const build: Omit<ImageBuild, "out"> = {
  images: [sidecars, attacher, driver],
  platforms,
  release: { version: "v1.2.3-dev", commit: "c0ffee", time: 1_700_000_000, license: "Apache-2.0" },
  tag: "v1.2.3",
  program: async (name, platform) => new TextEncoder().encode(`${name} for ${platform}`),
  debianPackage: (name, architecture) => ({
    name,
    architecture,
    version: "1",
    source: name,
    sha256: "",
    control: `Package: ${name}\n`,
    entries: [
      file("usr/lib/os-release", "ID=debian\n"),
      file(`usr/share/doc/${name}/copyright`, "free"),
      file("usr/share/ca-certificates/mozilla/b.crt", "second\n"),
      file("usr/share/ca-certificates/mozilla/a.crt", "first"),
      file("bin/sh", "a shell", 0o755),
      file("bin/mount", "mounts", 0o4755),
    ],
  }),
  license: "the license",
};

let folder: string;
let built: readonly BuiltImage[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "images-"));
  built = await buildImages({ ...build, out: join(folder, "first") });
});
afterAll(() => rmSync(folder, { recursive: true }));

const layout = (name: string) => validateLayout(join(folder, "first", name));
const textOf = (name: string, platform: string, path: string) => {
  const entry = layout(name)
    .images.find((image) => image.platform === platform)
    ?.entries.find((each) => each.path === path);
  return entry?.type === "file" ? new TextDecoder().decode(entry.content) : entry;
};

describe("every layout", () => {
  test.each(build.images.map((image) => [image.name, image] as const))("is valid: %s", (name, image) => {
    const { tag, digest, images } = layout(name);
    expect(tag).toBe("v1.2.3");
    expect(images.map(({ platform }) => platform)).toEqual([...image.platforms]);
    expect(built.find((each) => each.image.name === name)?.digest).toBe(digest);
  });

  test("says what it is and where it comes from", () => {
    for (const { config } of layout("csi-sidecars").images) {
      expect(config.created).toBe("2023-11-14T22:13:20Z");
      expect(config.config.Labels).toEqual({
        "org.opencontainers.image.created": "2023-11-14T22:13:20Z",
        "org.opencontainers.image.description": "All of them",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.revision": "c0ffee",
        "org.opencontainers.image.title": "csi-sidecars",
        "org.opencontainers.image.version": "v1.2.3-dev",
      });
    }
  });

  test("is the same when it is built again", async () => {
    const again = await buildImages({ ...build, out: join(folder, "second") });
    expect(again.map(({ digest }) => digest)).toEqual(built.map(({ digest }) => digest));
    for (const name of readdirSync(join(folder, "first")).filter((each) => each.endsWith(".tar"))) {
      expect(digestOf(readFileSync(join(folder, "second", name)))).toBe(digestOf(readFileSync(join(folder, "first", name))));
    }
  });

  test("is another one for another commit", async () => {
    const other = await buildImages({ ...build, release: { ...build.release, commit: "decaf" }, out: join(folder, "other") });
    expect(other.map(({ digest }) => digest)).not.toContain(built[0]!.digest);
  });

  test("shares with the others what is the same", () => {
    const { platformImages } = built[0]!;
    for (const { blob } of platformImages.find(({ platform }) => platform === "linux/arm64")!.layers) {
      const [here, there] = ["csi-sidecars", "csi-attacher"].map((name) => lstatSync(join(folder, "first", name, blobPath(blob.digest))));
      expect(here!.ino).toBe(there!.ino);
    }
  });

  test("replaces what was there", async () => {
    const out = join(folder, "replaced");
    await buildImages({ ...build, images: [attacher], out });
    writeFileSync(join(out, "csi-attacher/blobs/sha256/left"), "over");
    await buildImages({ ...build, images: [attacher], out });
    expect(validateLayout(join(out, "csi-attacher")).images).toHaveLength(2);
    expect(readdirSync(out).sort()).toEqual(["csi-attacher", "csi-attacher-amd64.tar", "csi-attacher-arm64.tar"]);
  });
});

describe("an image for Linux", () => {
  test("starts its program under its name", () => {
    const [image] = layout("csi-attacher").images;
    expect(image!.config.config).toMatchObject({ Entrypoint: ["/csi-attacher"], User: "0:0", WorkingDir: "/" });
    expect(image!.entries).toContainEqual({ type: "link", path: "csi-attacher", target: "csi-sidecars" });
    expect(textOf("csi-attacher", "linux/arm64", "csi-sidecars")).toBe("csi-sidecars for linux/arm64");
  });

  test("has of Debian only what it needs, and no shell", () => {
    const paths = layout("csi-sidecars")
      .images[0]!.entries.filter(({ type }) => type === "file")
      .map(({ path }) => path);
    const records = ["base-files", "ca-certificates", "libc6"];
    expect(paths.sort()).toEqual(
      [
        ...["csi-sidecars", "etc/group", "etc/nsswitch.conf", "etc/passwd", "etc/ssl/certs/ca-certificates.crt", "usr/lib/os-release"],
        ...records.flatMap((name) => [`usr/share/doc/${name}/copyright`, `var/lib/dpkg/status.d/${name}`]),
      ].sort(),
    );
    expect(textOf("csi-sidecars", "linux/amd64", "etc/ssl/certs/ca-certificates.crt")).toStartWith("first\nsecond\n");
  });

  test("has the tools of its description, which give no rights", () => {
    expect(layout("driver").images[0]!.entries).toContainEqual(file("bin/mount", Buffer.from("mounts"), 0o755));
  });
});

test("an image for Windows has the program, the license and five hives, names are arguments, and Ctrl-Break stops it", () => {
  const windows = layout("csi-sidecars").images.find(({ platform }) => platform === "windows/amd64")!;
  expect(windows.config.config).toMatchObject({ Entrypoint: ["csi-sidecars.exe"], StopSignal: "1" });
  const files = windows.entries.filter(({ type }) => type === "file").map(({ path }) => path);
  const hives = ["DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"].map((name) => `Files/Windows/System32/config/${name}`);
  expect(files).toEqual(["Files/License.txt", ...hives, "Files/csi-sidecars.exe"]);
  expect(windows.entries.every(({ path }) => path === "Files" || path.startsWith("Files/"))).toBe(true);
});

test("a Docker archive has the image under its name, and its layers uncompress to what the image says", () => {
  const entries = new Map(readTar(readFileSync(join(folder, "first/driver-amd64.tar"))).map((entry) => [entry.path, entry]));
  const json = (path: string) => {
    const entry = entries.get(path);
    return entry?.type === "file" ? JSON.parse(new TextDecoder().decode(entry.content)) : undefined;
  };
  const [{ Config, RepoTags, Layers }] = json("manifest.json");
  expect(RepoTags).toEqual(["driver:v1.2.3"]);
  expect(json(Config).config.Entrypoint).toEqual(["/driver"]);
  const diffIds = Layers.map((path: string) => {
    const layer = entries.get(path);
    return layer?.type === "file" && digestOf(Bun.gunzipSync(Buffer.from(layer.content)));
  });
  expect(diffIds).toEqual(json(Config).rootfs.diff_ids);
});

const skopeo = spawnSync("skopeo", ["--version"]).status === 0;
test.skipIf(!skopeo)(`skopeo copies all platforms of a layout${skopeo ? "" : " (skopeo is not installed)"}`, () => {
  const copy = join(folder, "copy");
  const args = ["copy", "--quiet", "--insecure-policy", "--all", "--preserve-digests"];
  const { status, stderr } = spawnSync("skopeo", [...args, `oci:${join(folder, "first/csi-sidecars")}:v1.2.3`, `oci:${copy}:v1.2.3`], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(validateLayout(copy).digest).toBe(built[0]!.digest);
});

describe("the validator refuses", () => {
  const damage: [string, (path: string) => void, string][] = [
    ["a blob with another content", (path) => writeFileSync(path, readFileSync(path).fill(0, 20, 30)), "has another content"],
    ["a blob that is cut off", (path) => writeFileSync(path, readFileSync(path).subarray(1)), "bytes, not"],
    ["a blob that is missing", (path) => rmSync(path), "is not there"],
    ["a blob that nothing names", (path) => writeFileSync(join(path, "../0"), ""), "are named"],
  ];
  test.each(damage)("%s", async (_, spoil, message) => {
    const out = mkdtempSync(join(folder, "spoiled-"));
    const [image] = await buildImages({ ...build, images: [driver], out });
    spoil(join(out, "driver", blobPath(image!.platformImages[0]!.layers[1]!.blob.digest)));
    expect(() => validateLayout(join(out, "driver"))).toThrow(message);
  });
});
