import { isRecord, messageOf } from "@csi-sidecars/base";
import {
  Code,
  type CodeName,
  ControllerDefinition,
  GroupControllerDefinition,
  IdentityDefinition,
  NodeDefinition,
  SnapshotMetadataDefinition,
} from "@csi-sidecars/csi";
import { parse } from "yaml";
import type { ConditionRule } from "./condition-rules.ts";
import type { CallRule, FaultAction, FaultError, FaultRule, FieldTest } from "./fault-rules.ts";

type Members = Readonly<Record<string, unknown>>;

/** Reads rules from JSON or YAML text: a list, or an object with a list `rules`. Errors name the place and the remedy. */
export function parseRules(text: string, origin: string): FaultRule[] {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new Error(`${origin}: neither JSON nor YAML: ${messageOf(error)}`);
  }
  return checkRules(content, origin);
}

/** Checks rules that were read already. */
export function checkRules(content: unknown, origin: string): FaultRule[] {
  const list = isRecord(content) ? content.rules : (content ?? []);
  if (!Array.isArray(list)) throw new Error(`${origin}: expected a list of rules`);
  return list.map((item, index) => ruleOf(item, `${origin}: rule ${index + 1}`));
}

const services = [IdentityDefinition, ControllerDefinition, GroupControllerDefinition, NodeDefinition, SnapshotMetadataDefinition];
const methods = new Set(["*", ...services.flatMap((service) => Object.values(service.methods).map(({ name }) => name))]);
const conditionFields = ["volume", "condition"];
const ruleFields = ["name", "method", "match", "skip", "times", "probability", "seed", "phase", "action"];
const actionFields = ["error", "delayMs", "hang", "background", "patchResponse", "crash", "dropConnection", "corruptStream"];

const ruleOf = (value: unknown, at: string): FaultRule =>
  isRecord(value) && conditionFields.some((field) => Object.hasOwn(value, field)) ? conditionRuleOf(value, at) : callRuleOf(value, at);

function conditionRuleOf(value: unknown, at: string): ConditionRule {
  const { volume, condition } = members(value, at, conditionFields);
  if (typeof volume !== "string" || volume === "") throw new Error(`${at}.volume: give the id or the name of a volume, or "*" for all`);
  const { abnormal, message } = members(condition, `${at}.condition`, ["abnormal", "message"]);
  return {
    volume,
    condition: {
      abnormal: abnormal === undefined || flag(abnormal, `${at}.condition.abnormal`),
      message: message === undefined ? "" : String(message),
    },
  };
}

function callRuleOf(value: unknown, at: string): CallRule {
  const rule = members(value, at, ruleFields);
  const phase = rule.phase;
  if (phase !== undefined && phase !== "before" && phase !== "after") throw new Error(`${at}.phase: use before or after`);
  const { method } = rule;
  if (typeof method !== "string" || !methods.has(method))
    throw new Error(`${at}.method: give the name of an RPC, such as CreateVolume, or *`);
  const probability = number(rule.probability, `${at}.probability`);
  if (probability !== undefined && probability > 1) throw new Error(`${at}.probability: expected a number from 0 to 1`);
  return {
    name: rule.name === undefined ? undefined : String(rule.name),
    method,
    match: rule.match === undefined ? undefined : testsOf(rule.match, `${at}.match`),
    skip: number(rule.skip, `${at}.skip`),
    times: number(rule.times, `${at}.times`),
    probability,
    seed: number(rule.seed, `${at}.seed`),
    phase,
    action: actionOf(rule.action, `${at}.action`),
  };
}

function actionOf(value: unknown, at: string): FaultAction {
  const action = members(value, at, actionFields);
  const { background, patchResponse, corruptStream } = action;
  return {
    delayMs: number(action.delayMs, `${at}.delayMs`),
    hang: flag(action.hang, `${at}.hang`),
    crash: crashOf(action.crash, `${at}.crash`),
    dropConnection: flag(action.dropConnection, `${at}.dropConnection`),
    error: action.error === undefined ? undefined : errorOf(action.error, `${at}.error`),
    background: background === undefined ? undefined : backgroundOf(background, `${at}.background`),
    patchResponse: patchResponse === undefined ? undefined : members(patchResponse, `${at}.patchResponse`),
    corruptStream: corruptStream === undefined ? undefined : streamOf(corruptStream, `${at}.corruptStream`),
  };
}

/** The code to exit with; `true` is 1. */
function crashOf(value: unknown, at: string): number | undefined {
  if (value === true) return 1;
  return value === false ? undefined : number(value, at);
}

function errorOf(value: unknown, at: string): FaultError {
  const { code, message } = members(value, at, ["code", "message"]);
  return { code: codeOf(code, `${at}.code`), message: message === undefined ? undefined : String(message) };
}

function backgroundOf(value: unknown, at: string): NonNullable<FaultAction["background"]> {
  const { doneAfterMs, code, message } = members(value, at, ["doneAfterMs", "code", "message"]);
  return {
    doneAfterMs: number(doneAfterMs, `${at}.doneAfterMs`) ?? 0,
    code: code === undefined ? undefined : codeOf(code, `${at}.code`),
    message: message === undefined ? undefined : String(message),
  };
}

function streamOf(value: unknown, at: string): NonNullable<FaultAction["corruptStream"]> {
  const { messages, ...error } = members(value, at, ["messages", "code", "message"]);
  return { ...errorOf(error, at), messages: number(messages, `${at}.messages`) ?? 0 };
}

/** `RESOURCE_EXHAUSTED`, `ResourceExhausted` and 8 are the same. */
function codeOf(value: unknown, at: string): CodeName {
  const plain = String(value).replaceAll("_", "").toLowerCase();
  const names = Object.keys(Code) as CodeName[];
  const found = names.find((name) => name.toLowerCase() === (plain === "cancelled" ? "canceled" : plain) || String(Code[name]) === plain);
  if (!found) throw new Error(`${at}: ${JSON.stringify(value)} is no gRPC code; use one of ${names.join(", ")}`);
  return found;
}

function testsOf(value: unknown, at: string): Record<string, FieldTest> {
  const tests = Object.entries(members(value, at)).map(([path, test]): [string, FieldTest] => {
    if (typeof test === "string" || typeof test === "number" || typeof test === "boolean") return [path, test];
    const { regex } = members(test, `${at}.${path}`, ["regex"]);
    if (typeof regex !== "string") throw new Error(`${at}.${path}: give a value, or { regex: "..." }`);
    try {
      new RegExp(regex);
    } catch (error) {
      throw new Error(`${at}.${path}.regex: ${messageOf(error)}`);
    }
    return [path, { regex }];
  });
  return Object.fromEntries(tests);
}

function flag(value: unknown, at: string): boolean {
  if (value !== undefined && typeof value !== "boolean") throw new Error(`${at}: expected true or false`);
  return value ?? false;
}

function number(value: unknown, at: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw new Error(`${at}: expected a number of 0 or more`);
  return value;
}

function members(value: unknown, at: string, known?: readonly string[]): Members {
  if (!isRecord(value)) throw new Error(`${at}: expected an object`);
  const unknown = known && Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`${at}: unknown field ${unknown}; there are ${known?.join(", ")}`);
  return value;
}
