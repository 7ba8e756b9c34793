/**
 * G2: what is left of an invalid value: the smallest invalid parts are removed, as long as what they belong to can do without them. Each is
 * named by its path.
 */
import * as z from 'zod';

/** Steps from an entry to a value in it. */
export type Path = readonly PropertyKey[];

/** A value that a schema refused. */
export interface InvalidValue {
  /** Its path; empty for the record as a whole. */
  readonly path: Path;
  readonly expected: string;
  readonly found: unknown;
  /** Whether it is a further reason for the removal of another one. */
  readonly isFurther: boolean;
}

interface Salvaged<Raw> {
  /** The schema's result; null if invalid values cost all of it: then `invalid` says why. */
  readonly raw: Raw | null;
  /** As written, without the invalid parts. */
  readonly value: unknown;
  readonly invalid: readonly InvalidValue[];
  /** Paths of dates that are written as Norwegians do. */
  readonly rewritten: readonly Path[];
}

/** The value as parsed by its schema, or what is left of it, with the parts that were removed. */
export function salvage<Schema extends z.ZodType>(
  schema: Schema,
  written: unknown,
): Salvaged<z.output<Schema>> {
  let invalid: readonly InvalidValue[] = [];
  let rewritten: readonly Path[] = [];
  let value = written;
  // Relations between fields are checked once the fields are valid, so that a further pass may find more. The passes end, because each of them
  // rewrites dates, which are then valid, or removes parts.
  while (true) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { raw: parsed.data, value, invalid, rewritten };
    const { issues } = parsed.error;
    const dates = norwegianDatesIn(issues);
    if (dates.length > 0) {
      value = withDates(value, dates);
      rewritten = [...rewritten, ...dates.map(({ path }) => path)];
      continue;
    }
    const costs = issues.map((issue) => ({ issue, removed: removablePart(schema, issue) }));
    const fatal = costs.filter(({ removed }) => removed === null);
    if (fatal.length > 0) return { raw: null, value, invalid: invalidIn(value, fatal), rewritten };
    invalid = [...invalid, ...invalidIn(value, costs)];
    value = without(
      value,
      costs.flatMap(({ removed }) => (removed === null ? [] : [removed])),
    );
  }
}

interface IssueCost {
  readonly issue: z.core.$ZodIssue;
  /** The part that the issue costs; null for all of the value. */
  readonly removed: Path | null;
}

/** Several issues may cost the same part: only the first is counted. */
function invalidIn(value: unknown, costs: readonly IssueCost[]): readonly InvalidValue[] {
  const parts = new Set<string>();
  return costs.map(({ issue, removed }) => {
    const part = JSON.stringify(removed);
    const isFurther = parts.has(part);
    parts.add(part);
    return { path: issue.path, expected: issue.message, found: valueAt(value, issue.path), isFurther };
  });
}

/** What a schema says in its issue about an invalid value. A type alias: an interface does not fit into the record that Zod takes. */
type IssueParams = {
  /** The date that is meant, in the native form. */
  readonly iso?: string;
  /** Whether the issue costs all of the value that the schema reads. */
  readonly costsAll?: boolean;
};

/** The params of an issue about a date that is written as Norwegians do. */
export const paramsOfDate = (iso: string): IssueParams => ({ iso });

/** The params of an issue that costs all of the value, because two fields contradict each other, and either may be wrong. */
export const paramsOfAll = (costsAll: boolean): IssueParams => ({ costsAll });

/** The params of one of these functions; empty for any other issue. */
function paramsOf(issue: z.core.$ZodIssue): IssueParams {
  return issue.code === 'custom' ? (issue.params ?? {}) : {};
}

interface WrittenDate {
  readonly path: Path;
  /** In the native form. */
  readonly iso: string;
}

function norwegianDatesIn(issues: readonly z.core.$ZodIssue[]): readonly WrittenDate[] {
  return issues.flatMap((issue) => {
    const { iso } = paramsOf(issue);
    return iso === undefined ? [] : [{ path: issue.path, iso }];
  });
}

/** A copy with these dates in the native form. */
function withDates(value: unknown, dates: readonly WrittenDate[]): unknown {
  let copy = structuredClone(value);
  for (const { path, iso } of dates) {
    const [step] = path.slice(-1);
    const holder = valueAt(copy, path.slice(0, -1));
    if (step === undefined) copy = iso;
    else if (typeof holder === 'object' && holder !== null) Reflect.set(holder, step, iso);
  }
  return copy;
}

/** The smallest part to remove: the deepest optional value on the path of the issue. Null for all of it. */
function removablePart(schema: z.ZodType, issue: z.core.$ZodIssue): Path | null {
  const { path } = issue;
  if (paramsOf(issue).costsAll) return null;
  let least: Path | null = null;
  let inner: unknown = schema;
  for (const [index, step] of path.entries()) {
    inner = innerOf(inner, step);
    if (inner === undefined) break;
    if (inner instanceof z.ZodType && ESSENTIAL.has(inner)) return null;
    if (typeof step === 'number' || isOptional(inner)) least = path.slice(0, index + 1);
  }
  return least;
}

/** Schemas of parts that may be missing, but cost the whole value if they are invalid. */
const ESSENTIAL = z.registry<object>();

/** A copy of the schema for a part that costs the whole value if it is invalid, even where it is optional. */
export function essential<Schema extends z.ZodType>(schema: Schema): Schema {
  const copy = schema.clone();
  ESSENTIAL.add(copy, {});
  return copy;
}

/** The schema within those that make it optional. */
export function bareOf(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? bareOf(schema.unwrap())
    : schema;
}

function innerOf(schema: unknown, step: PropertyKey): unknown {
  const bare = bareOf(schema);
  if (bare instanceof z.ZodObject) return bare.shape[String(step)];
  if (bare instanceof z.ZodArray) return bare.element;
  return undefined;
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.safeParse(undefined).success;
}

/** A copy without the values at these paths, which may repeat. */
function without(value: unknown, paths: readonly Path[]): unknown {
  const copy = structuredClone(value);
  const lists = new Set<unknown[]>();
  for (const path of paths) {
    const holder = valueAt(copy, path.slice(0, -1));
    const [step] = path.slice(-1);
    if (typeof holder !== 'object' || holder === null || step === undefined) continue;
    Reflect.deleteProperty(holder, step);
    if (Array.isArray(holder)) lists.add(holder);
  }
  for (const list of lists) {
    // Deleting leaves holes, which `filter` skips; indexes stay the same until all are deleted.
    const rest = list.filter(() => true);
    list.length = 0;
    for (const item of rest) list.push(item);
  }
  return copy;
}

/** `dates[2].start`; null for the entry as a whole. */
export function fieldName(path: Path): string | null {
  if (path.length === 0) return null;
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

export function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Reflect.get(inner, step);
  }
  return inner;
}
