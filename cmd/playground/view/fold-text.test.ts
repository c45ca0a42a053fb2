import { expect, test } from "bun:test";
import { fold, foldCommand, foldNamed, helpPages } from "./fold-text.ts";

test.each([
  ["  short", 10, ["  short"]],
  ["  program why pvc default/data", 20, ["  program why pvc \\", "    default/data"]],
  ["  program --a=b --c=d --e=f", 18, ["  program --a=b \\", "    --c=d --e=f"]],
  ["  averyveryverylongword", 12, ["  averyveryv", "erylongword"]],
])("the command %p is wrapped at %i columns for a shell", (command, columns, folded) => {
  expect(foldCommand(command, columns)).toEqual(folded);
});

test.each([
  ["  keys      c create; g grow it; q quit", 30, ["  keys      c create; g grow", "            it; q quit"]],
  ["  keys      c create", 30, ["  keys      c create"]],
  ["csi-sidecars playground: ready", 20, ["csi-sidecars", "playground: ready"]],
])("%p is wrapped at %i columns beside its name", (line, columns, folded) => {
  expect(foldNamed(line, columns)).toEqual(folded);
});

test("the help has pages where it leaves no room for the view", () => {
  const help = ["a", "b", "c", "d", "e"];
  expect(helpPages(help, 9, "h")).toEqual([help]);
  expect(helpPages(help, 4, "h")).toEqual([
    ["a", "b", "c", "h more (1 of 2)"],
    ["d", "e", "h back"],
  ]);
});

test.each([
  ["short", 10, ["short"]],
  ["two words here", 9, ["two words", "here"]],
  ["  access export KUBECONFIG=/tmp/kubeconfig", 20, ["  access export", "KUBECONFIG=/tmp/kube", "config"]],
  ["--controllers=attacher,provisioner,resizer", 30, ["--controllers=attacher,", "provisioner,resizer"]],
  ["", 10, [""]],
])("%p is wrapped at %i columns", (line, columns, folded) => {
  expect(fold(line, columns)).toEqual(folded);
});
