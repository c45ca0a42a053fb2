import { expect, test } from "bun:test";
import { listPages } from "./list-pages.ts";

type Page = { readonly entries: readonly number[]; readonly nextToken: string };

function reader(pages: Readonly<Record<string, Page>>) {
  const asked: string[] = [];
  const read = async (token: string): Promise<Page> => {
    asked.push(token);
    const page = pages[token];
    if (!page) throw new Error(`no page ${token}`);
    return page;
  };
  return { asked, read };
}

test("each page is asked for with the token of the one before", async () => {
  const { asked, read } = reader({
    "": { entries: [1, 2], nextToken: "a" },
    a: { entries: [], nextToken: "b" },
    b: { entries: [3], nextToken: "" },
  });
  expect(await Array.fromAsync(listPages("ListVolumes", read))).toEqual([[1, 2], [], [3]]);
  expect(asked).toEqual(["", "a", "b"]);
});

test("a page that fails ends the list", async () => {
  const { read } = reader({ "": { entries: [1], nextToken: "a" } });
  expect(await Array.fromAsync(listPages("ListVolumes", read)).catch(String)).toBe("Error: no page a");
});

test("a token that comes again ends it too", async () => {
  const { asked, read } = reader({ "": { entries: [1], nextToken: "a" }, a: { entries: [2], nextToken: "a" } });
  const failed = await Array.fromAsync(listPages("ListVolumes", read)).catch(String);
  expect(failed).toBe("Error: the driver's ListVolumes gave the same next_token twice");
  expect(asked).toEqual(["", "a"]);
});

test.each<[string, readonly number[], number, string]>([
  ["empty pages", [], 1_000, "gave 1000 pages without entries in a row, and more are to come"],
  ["pages", [1], 100_000, "gave 100000 pages, and more are to come"],
])("%s with a new token each end it when they are too many", async (_what, entries, pages, expected) => {
  let asked = 0;
  const read = async (): Promise<Page> => ({ entries, nextToken: `${++asked}` });
  const drain = async () => {
    for await (const _entries of listPages("ListVolumes", read)) if (asked > pages) return "asked for more";
  };
  expect(await drain().catch(String)).toBe(`Error: the driver's ListVolumes ${expected}`);
  expect(asked).toBe(pages);
});

test("empty pages between others are no reason to stop", async () => {
  const read = async (token: string): Promise<Page> => {
    const page = Number(token);
    return { entries: page % 1_000 === 999 ? [page] : [], nextToken: page < 4_999 ? `${page + 1}` : "" };
  };
  expect((await Array.fromAsync(listPages("ListVolumes", read))).flat()).toEqual([999, 1_999, 2_999, 3_999, 4_999]);
});
