import { expect, test } from "bun:test";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { validatePathWindows } from "./validate-path.ts";

const letters = (count: number) => "a".repeat(count);
const invalid = (path: string) => `path contains invalid characters: ${path}`;
const relative = (path: string) => `not an absolute Windows path: ${path}`;
const leading = (path: string) => `invalid character \\ at beginning of path: ${path}`;

test.each([
  [String.raw`C:\var\lib\kubelet\pods\1234\volumes\kubernetes.io~csi\pvc-1\mount`],
  [String.raw`c:\var\lib\kubelet\plugins\smb.csi.k8s.io\globalmount`],
  ["Z:\\"],
  ["C:\\a<b> c."],
  ["C:\\[x]"],
  [`C:\\${letters(257)}`],
])("%s is accepted", (path) => expect(() => validatePathWindows(path)).not.toThrow());

test.each([
  ["longer than 260", `C:\\${letters(258)}`, "path length 261 exceeds maximum characters: 260"],
  ["its length is that of UTF-8", `C:\\${"é".repeat(129)}`, "path length 261 exceeds maximum characters: 260"],
  ["the length counts before all else", `\\${letters(260)}`, "path length 261 exceeds maximum characters: 260"],
  ["a share", String.raw`\\host\share`, leading(String.raw`\\host\share`)],
  ["no drive", String.raw`\data`, leading(String.raw`\data`)],
  ["the first character counts before others", "\\a*", leading("\\a*")],
  ["a stream", "C:\\data:stream", invalid("C:\\data:stream")],
  ["a slash", "C:\\data/x", invalid("C:\\data/x")],
  ["a slash after the drive", "C:/data", invalid("C:/data")],
  ["an asterisk", "C:\\data*", invalid("C:\\data*")],
  ["a question mark", "C:\\data?", invalid("C:\\data?")],
  ["a bar", "C:\\data|x", invalid("C:\\data|x")],
  ["a quote", 'C:\\data"x', invalid('C:\\data"x')],
  ["the parent folder", "C:\\data\\..\\x", invalid("C:\\data\\..\\x")],
  ["two dots in a name", "C:\\a..b", invalid("C:\\a..b")],
  ["two dots in a relative path", "..\\a", invalid("..\\a")],
  ["a path of POSIX", "/var/lib", invalid("/var/lib")],
  ["relative", "data", relative("data")],
  ["empty", "", relative("")],
  ["a drive without a folder", "C:", invalid("C:")],
  ["relative to a drive", "C:data", invalid("C:data")],
  ["NUL", "C:\\a\0b", invalid("C:\\a\0b")],
  ["NUL counts last", "a\0b", relative("a\0b")],
])("%s", (_, path, message) => {
  expect(() => validatePathWindows(path)).toThrow(new CsiProxyError("InvalidArgument", message));
});
