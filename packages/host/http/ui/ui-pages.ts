import type { Clock } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import type { CallInFlight, CallRecorder } from "../../activity/call-recorder.ts";
import { readSamples } from "../../activity/samples.ts";
import type { VolumeTimeline } from "../../activity/volume-timelines.ts";
import { type Work, workIn, workMetrics } from "../../activity/work.ts";
import type { Check } from "../pages.ts";
import type { Answer, Routes } from "../routes.ts";
import page from "./page.html" with { type: "text" };

/** What `/ui/activity.json` says: names, times and the driver's errors, of which secrets have been removed. */
export interface Activity extends Omit<Work, "calls"> {
  readonly program: string;
  readonly version: string;
  /** When it was read, in milliseconds since 1970. */
  readonly now: number;
  readonly driver?: { readonly name: string; readonly address: string; readonly problem?: string };
  readonly controllers: readonly { readonly name: string; readonly detail: string; readonly problem?: string }[];
  readonly calls: readonly CallInFlight[];
  readonly volumes: readonly VolumeTimeline[];
}

export interface UiParts {
  readonly program: { readonly name: string; readonly version: string };
  readonly recorder: CallRecorder;
  readonly driver: () => Activity["driver"];
  readonly controllers: readonly Check[];
  readonly registries: () => Iterable<Registry>;
  readonly clock: Clock;
}

/** What `--enable-ui` serves: one static page, and what it shows. Nothing can be changed there. */
export function uiPages(parts: UiParts): Routes {
  const html: Answer = { status: 200, body: page as unknown as string, contentType: "text/html; charset=utf-8" };
  return {
    "/ui": ({ method }) => (isRead(method) ? html : notAllowed),
    "/ui/activity.json": async ({ method }) =>
      isRead(method) ? { status: 200, body: JSON.stringify(await activity(parts)), contentType: "application/json" } : notAllowed,
  };
}

const notAllowed: Answer = { status: 405, body: "only GET and HEAD are allowed here\n" };

const isRead = (method: string) => method === "GET" || method === "HEAD";

async function activity({ program, recorder, driver, controllers, registries, clock }: UiParts): Promise<Activity> {
  const known = driver();
  return {
    program: program.name,
    version: program.version,
    now: clock.now(),
    ...(known && { driver: known }),
    controllers: controllers.map(({ name, detail, problem }) => {
      const failure = problem();
      return { name, detail: detail?.() ?? "", ...(failure !== undefined && { problem: failure }) };
    }),
    ...workIn(await readSamples(registries(), workMetrics)),
    calls: recorder.inFlight,
    volumes: recorder.volumes,
  };
}
