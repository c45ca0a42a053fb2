import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { ChangingAvailability } from "./connection/availability.ts";
import { type ListVolumesRequest, ListVolumesResponse } from "./gen/csi.ts";
import { type PageReader, type VolumeListRequest, VolumeLists } from "./volume-lists.ts";

/** A driver with the volumes `a`, `b` and `c`, each on a page of its own, and what it was asked. */
function setUp() {
  const clock = new FakeClock();
  const availability = new ChangingAvailability();
  availability.change(true);
  const lists = new VolumeLists(availability);
  const asked: string[] = [];
  const answers: (() => Promise<void>)[] = [];
  const controllerOf = (who: string): VolumeListRequest["controller"] => ({
    async listVolumes({ maxEntries, startingToken }: Partial<ListVolumesRequest>) {
      asked.push(`${who} ${maxEntries} ${startingToken}`);
      await answers.shift()?.();
      const at = Number(startingToken ?? 0);
      return ListVolumesResponse.fromPartial({
        entries: [{ volume: { volumeId: "abc"[at] ?? "" } }],
        nextToken: at < 2 ? String(at + 1) : "",
      });
    },
  });
  /** Starts to read a list that is due in so many seconds. */
  const read = (who: string, inSeconds: number, options: Partial<VolumeListRequest> = {}) => {
    const state = { ended: "", begun: 0 };
    const begin = (): PageReader & { readonly ids: string[] } => {
      state.begun++;
      const ids: string[] = [];
      return { ids, addPage: (entries) => void ids.push(...entries.map(({ volume }) => volume?.volumeId ?? "")) };
    };
    const request = {
      clock,
      inMs: inSeconds * 1000,
      controller: controllerOf(who),
      maxEntries: 0,
      timeoutMs: 1,
      signal: new AbortController().signal,
    };
    const reading = lists.next({ ...request, begin, ...options } as VolumeListRequest<ReturnType<typeof begin>>);
    reading.then(
      ({ ids }) => {
        state.ended = ids?.join("") ?? "complete";
      },
      (error: unknown) => {
        state.ended = String(error);
      },
    );
    return state;
  };
  return { clock, availability, asked, answers, read };
}

const pagesOf = (who: string) => [`${who} 0 `, `${who} 0 1`, `${who} 0 2`];

describe("a list", () => {
  test("is made when it is due, and at once at the start", async () => {
    const { clock, asked, read } = setUp();
    const first = read("attacher", 0);
    await clock.advance(0);
    expect([first.ended, asked]).toEqual(["abc", pagesOf("attacher")]);
    const second = read("attacher", 60);
    await clock.advance(59_999);
    expect(second.ended).toBe("");
    await clock.advance(1);
    expect(second.ended).toBe("abc");
  });

  test("serves those whose own would be due soon, and nobody else", async () => {
    const { clock, asked, read } = setUp();
    const maker = read("attacher", 60);
    const soon = read("health", 70, { maxEntries: 5 });
    const later = read("other", 300);
    await clock.advance(60_000);
    expect([maker.ended, soon.ended, later.ended]).toEqual(["abc", "abc", ""]);
    expect(asked).toEqual(pagesOf("attacher"));
    await clock.advance(240_000);
    expect(later.ended).toBe("abc");
    expect(asked).toEqual([...pagesOf("attacher"), ...pagesOf("other")]);
  });

  test("that has begun is not joined", async () => {
    const { clock, asked, answers, read } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.push(() => promise);
    read("attacher", 0);
    const late = read("health", 0);
    await clock.advance(0);
    resolve();
    await clock.advance(0);
    expect(late.ended).toBe("abc");
    expect(asked).toContain("health 0 ");
  });

  test("of which a page fails is none: who made it is told, and the others make one of their own when it is due", async () => {
    const { clock, asked, answers, read } = setUp();
    answers.push(
      async () => {},
      () => Promise.reject(new Error("no")),
    );
    const maker = read("attacher", 60);
    const other = read("health", 70);
    await clock.advance(60_000);
    expect([maker.ended, other.ended, other.begun]).toEqual(["Error: no", "", 1]);
    await clock.advance(9_999);
    expect(asked).toEqual(["attacher 0 ", "attacher 0 1"]);
    await clock.advance(1);
    expect([other.ended, other.begun]).toEqual(["abc", 2]);
  });

  test("whose maker is stopped is none for the others", async () => {
    const { clock, answers, read } = setUp();
    const stop = new AbortController();
    answers.push(() => new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(stop.signal.reason))));
    const maker = read("attacher", 60, { signal: stop.signal });
    const other = read("health", 60.001);
    await clock.advance(60_000);
    stop.abort(new Error("stopped"));
    await clock.advance(1);
    expect([maker.ended, other.ended]).toEqual(["Error: stopped", "abc"]);
  });

  test("goes on when one of its readers fails or is stopped", async () => {
    const { clock, answers, read } = setUp();
    const fail = () => {
      throw new Error("bad reader");
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    answers.push(() => promise);
    const maker = read("attacher", 60, { begin: () => ({ addPage: fail }) });
    const broken = read("broken", 61, { begin: fail });
    const stopped = read("stopped", 62, { signal: stop.signal });
    const other = read("health", 63);
    await clock.advance(60_000);
    expect([broken.ended, stopped.ended]).toEqual(["Error: bad reader", ""]);
    stop.abort(new Error("stopped"));
    await clock.advance(0);
    expect(stopped.ended).toBe("Error: stopped");
    resolve();
    await clock.advance(0);
    expect([maker.ended, other.ended]).toEqual(["Error: bad reader", "abc"]);
  });

  test("waits for a driver that is away", async () => {
    const { clock, availability, asked, read } = setUp();
    availability.change(false);
    const reader = read("health", 60);
    await clock.advance(600_000);
    expect([asked, reader.begun]).toEqual([[], 0]);
    availability.change(true);
    await clock.advance(0);
    expect(reader.ended).toBe("abc");
  });
});

test("who is stopped while it waits reads nothing, and leaves no timer", async () => {
  const { clock, asked, read } = setUp();
  const stop = new AbortController();
  const [early, late] = [read("a", 60, { signal: stop.signal }), read("b", 300, { signal: stop.signal })];
  await clock.advance(50_000);
  stop.abort(new Error("stopped"));
  await clock.advance(0);
  expect([early.ended, late.ended, early.begun, asked, clock.waiting]).toEqual(["Error: stopped", "Error: stopped", 0, [], 0]);
});
