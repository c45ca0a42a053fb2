import { Document, isMap, type YAMLMap, type YAMLSeq } from "yaml";
import { definesAnchor, expandAliases } from "./aliases.ts";
import type { Edit } from "./edits.ts";
import type { Workload } from "./manifests.ts";

/** What happens to the containers of a workload: those at these places become one, where the first of them was. */
export interface Replacement {
  readonly places: readonly number[];
  readonly container: YAMLMap;
}

/**
 * The edits that put the new containers of a document in place of the old ones. In lists as people write them only the lines of those containers
 * change; a document in any other style, JSON for example, is written anew, and so is one with an anchor in the old containers.
 */
export function replaceContainers(text: string, changes: readonly Change[]): readonly Edit[] {
  const edits = changes.map(({ workload, replacement }) => replaceLines(text, workload.containers, replacement));
  const document = changes[0]?.workload.document;
  if (document && changes.some(losesAnchor)) {
    expandAliases(document);
    return [rewrite(text, document, changes)];
  }
  return !document || edits.every((each) => each !== undefined) ? edits.flatMap((each) => each ?? []) : [rewrite(text, document, changes)];
}

/** A workload with something that happens to it. */
export interface Change {
  readonly workload: Workload;
  readonly replacement: Replacement;
}

/** Whether what goes away may be referred to from elsewhere. */
function losesAnchor({ workload, replacement }: Change): boolean {
  return replacement.places.some((place) => definesAnchor(workload.containers.items[place]));
}

function replaceLines(text: string, containers: YAMLSeq, { places, container }: Replacement): readonly Edit[] | undefined {
  if (containers.flow) return undefined;
  const regions = regionsOf(text, containers);
  const [first] = places;
  const target = first === undefined ? undefined : regions?.[first];
  if (!regions || !target) return undefined;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const old = places.map((place) => regions[place]).filter((region) => region !== undefined);
  const comments = old.map((region) => text.slice(region.start, region.dash)).join("");
  const lines = String(new Document(container).toString({ lineWidth: 0, indentSeq: target.indentSeq, flowCollectionPadding: true }))
    .trimEnd()
    .split("\n");
  const indent = " ".repeat(target.column);
  const written = lines.map((line, at) => (line === "" ? "" : `${indent}${at === 0 ? "- " : "  "}${line}`)).join(newline) + newline;
  return old.map(({ blank, start, end }) =>
    start === target.start ? { start, end, text: comments + written } : { start: blank, end, text: "" },
  );
}

interface Region {
  /** Of the empty lines before it and its comments. */
  readonly blank: number;
  /** Of the comment lines before it. */
  readonly start: number;
  /** Of the line with its dash. */
  readonly dash: number;
  readonly end: number;
  readonly column: number;
  readonly indentSeq: boolean;
}

/** The lines of every item; `undefined` where an item does not begin on the line of its dash. */
function regionsOf(text: string, { items }: YAMLSeq): readonly Region[] | undefined {
  const regions: Region[] = [];
  for (const item of items) {
    if (!isMap(item) || !item.range || item.flow) return undefined;
    const dash = lineStart(text, item.range[0]);
    const [lead, spaces = "", marker] = /^( *)(-) +$/.exec(text.slice(dash, item.range[0])) ?? [];
    if (lead === undefined || marker === undefined) return undefined;
    const previous = regions.at(-1)?.end ?? 0;
    const start = linesBefore(text, dash, /^\s*#/, previous);
    regions.push({
      blank: linesBefore(text, start, /^\s*$/, previous),
      start,
      dash,
      end: afterLine(text, item.range[1]),
      column: spaces.length,
      indentSeq: indentsLists(text, item, spaces.length),
    });
  }
  return regions;
}

/** Whether the lists in this container are further in than their keys. */
function indentsLists(text: string, item: YAMLMap, column: number): boolean {
  const [, list] = /\n( *)- /.exec(text.slice(item.range?.[0] ?? 0, item.range?.[1] ?? 0)) ?? [];
  return list === undefined || list.length > column + 2;
}

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;

function afterLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** Where the lines of a kind begin that stand right before a line. */
function linesBefore(text: string, at: number, kind: RegExp, notBefore: number): number {
  let start = at;
  while (start > notBefore) {
    const previous = lineStart(text, start - 1);
    if (previous < notBefore || !kind.test(text.slice(previous, start))) break;
    start = previous;
  }
  return start;
}

function rewrite(text: string, document: Document.Parsed, changes: readonly Change[]): Edit {
  for (const [containers, group] of Map.groupBy(changes, ({ workload }) => workload.containers)) {
    containers.items = containers.items.flatMap((item, at) => {
      const replacement = group.map((change) => change.replacement).find(({ places }) => places.includes(at));
      if (!replacement) return [item];
      return replacement.places[0] === at ? [replacement.container] : [];
    });
  }
  const [start = 0, end = start] = document.contents?.range ?? [];
  if (isJson(text.slice(start, end))) return { start, end, text: JSON.stringify(document.toJS(), null, 4) };
  const copy = new Document();
  copy.contents = document.contents as never;
  const written = copy.toString({ lineWidth: 0 }).trimEnd();
  return { start, end, text: text.slice(start, end).endsWith("\n") ? `${written}\n` : written };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
