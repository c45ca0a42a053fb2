import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Entry, file, link } from "../archive/entry.ts";
import { readElf } from "../archive/read-elf.ts";
import { linkClosure } from "./link-closure.ts";

const runtime = readFileSync(process.execPath);
const linked = process.platform === "linux" ? readElf(runtime) : undefined;

test.skipIf(!linked)("a program gets its loader and its libraries, and nothing else", () => {
  const [first = "", ...others] = linked?.libraries ?? [];
  const loader = (linked?.loader ?? "").slice(1);
  const available: readonly Entry[] = [
    link(loader, "/usr/lib/some-linux-gnu/loader"),
    file("usr/lib/some-linux-gnu/loader", "the loader"),
    link(`lib/some-linux-gnu/${first}`, `${first}.1`),
    file(`lib/some-linux-gnu/${first}.1`, "a library"),
    ...others.map((name) => file(`lib/some-linux-gnu/${name}`, "a library")),
    file("lib/some-linux-gnu/libother.so", "not needed"),
    file("usr/share/doc/some", "not needed"),
  ];
  const taken = linkClosure(available, [], [runtime]);
  expect(taken.map(({ path }) => path).sort()).toEqual(
    available
      .slice(0, -2)
      .map(({ path }) => path)
      .sort(),
  );
  expect(() =>
    linkClosure(
      available.filter(({ path }) => !path.endsWith(`/${first}`)),
      [],
      [runtime],
    ),
  ).toThrow(`the packages of the image have no /${first}, which a program needs`);
});

test("a file that is named comes with what its links lead to, and gives no rights", () => {
  const available = [link("bin/a", "../sbin/b"), link("sbin/b", "/opt/c"), file("opt/c", "#!", 0o4755)];
  expect(linkClosure(available, ["bin/a"], [])).toEqual([available[0]!, available[1]!, file("opt/c", "#!", 0o755)]);
});

test("what is not there is named", () => {
  expect(() => linkClosure([], ["bin/mount"], [])).toThrow("have no /bin/mount, which the description names");
  expect(() => linkClosure([link("bin/a", "b")], ["bin/a"], [])).toThrow("have no /bin/b, where /bin/a leads");
});
