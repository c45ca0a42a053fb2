import { isRecord } from "@csi-sidecars/base";
import type { WmiFailure } from "../csi-proxy-error.ts";
import type { Envelope, ScriptError } from "./executor.ts";

/** One line that a script printed, as JSON; `undefined` where it is none. */
export function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/** What a script answered, or `undefined` where it has another form. PowerShell prints what is absent as null. */
export function envelopeOf(value: unknown): Envelope | undefined {
  if (!isRecord(value)) return undefined;
  if (value.ok === true) return { ok: true, data: value.data ?? null };
  if (value.ok !== false || !isRecord(value.error) || typeof value.error.message !== "string") return undefined;
  return { ok: false, error: scriptErrorOf(value.error, value.error.message) };
}

function scriptErrorOf({ category, fqid, win32, wmi }: Readonly<Record<string, unknown>>, message: string): ScriptError {
  const wmiFailure = wmiFailureOf(wmi);
  return {
    message,
    ...(typeof category === "string" && { category }),
    ...(typeof fqid === "string" && { fqid }),
    ...(typeof win32 === "number" && { win32 }),
    ...(wmiFailure && { wmi: wmiFailure }),
  };
}

function wmiFailureOf(wmi: unknown): WmiFailure | undefined {
  if (!isRecord(wmi) || typeof wmi.class !== "string" || typeof wmi.method !== "string" || typeof wmi.code !== "number") return undefined;
  return { class: wmi.class, method: wmi.method, code: wmi.code };
}
