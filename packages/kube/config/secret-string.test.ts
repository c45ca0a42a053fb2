import { expect, test } from "bun:test";
import { redactUrl } from "./secret-string.ts";

test.each([
  ["http://proxy.example:3128", "http://proxy.example:3128"],
  ["http://user:secret@proxy.example:3128", "http://proxy.example:3128"],
  ["http://user:with@secret@proxy.example:3128", "http://proxy.example:3128"],
  ["http:user:secret@proxy.example:3128", "http://proxy.example:3128"],
  ["socks5://secret@proxy.example:1080", "socks5://proxy.example:1080"],
  ["https://user:secret@[::1]:3128/a?b", "https://[::1]:3128/a?b"],
  ["http://user:se/secret@proxy.example", "<not a URL>"],
  ["user:secret@proxy.example:3128", "<not a URL>"],
])("a message shows %p as %p", (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
