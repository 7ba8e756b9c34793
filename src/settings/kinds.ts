/** Kinds of values that settings take, each with its parser. */
import { resolve } from 'node:path';
import { parsedUrl } from '../calendar/urls.ts';

export interface SettingKind<T> {
  /** Completes "expected …". */
  readonly expected: string;
  /** Undefined if the text is invalid. `folder` is where relative paths begin. */
  readonly parse: (text: string, folder: string) => T | undefined;
}

export interface Setting<T> extends SettingKind<T> {
  /** The environment variable. */
  readonly name: string;
  /** The default as it would be written; empty for none. */
  readonly fallback: string;
  readonly description: string;
  /** Messages never show its value. */
  readonly isSecret?: boolean;
}

/** Settings by their names in the code. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table's settings. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Key in keyof Table]: Exclude<ReturnType<Table[Key]['parse']>, undefined>;
};

type Tables<Annex> = Annex extends { readonly settings: infer Table } ? (table: Table) => void : never;

/** The tables of all annexes of a list together: a union of functions as a parameter infers an intersection. */
export type TablesOf<List> =
  Tables<List[keyof List]> extends (table: infer Table extends SettingsTable) => void
    ? Table
    : Readonly<Record<never, never>>;

/** `least`: 0 or more. */
export function wholeNumber(least: number, most: number): SettingKind<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    parse(text) {
      if (!/^\d+$/.test(text)) return undefined;
      const value = Number(text);
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A setting that may be unset. */
export interface Optional<T> extends SettingKind<T> {
  readonly fallback: '';
}

/** Null if it is unset. */
export function orNone<T>({ expected, parse }: SettingKind<T>): Optional<T | null> {
  return { expected, fallback: '', parse: (text, folder) => (text === '' ? null : parse(text, folder)) };
}

export function path(): SettingKind<string> {
  return {
    expected: 'a path',
    parse: (text, folder) => (text.includes('\0') ? undefined : resolve(folder, text)),
  };
}

export function oneOf<T extends string>(choices: readonly T[]): SettingKind<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

export function yesOrNo(): SettingKind<boolean> {
  return {
    expected: 'true or false',
    parse: (text) => BOOLEANS.get(text),
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Whether its name and password can be decoded. */
export function canDecode({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Completes "expected an http URL". */
export const PERCENT_NOTE = ', with a "%" of a name or password written as "%25"';

/** Ends in a slash, so that names can be resolved against it. */
export function httpUrl(): SettingKind<URL> {
  return {
    expected: `an http or https URL${PERCENT_NOTE}`,
    parse(text) {
      const url = parsedUrl(text);
      if (url === null) return undefined;
      if (!url.pathname.endsWith('/')) url.pathname += '/';
      return /^https?:$/.test(url.protocol) && canDecode(url) ? url : undefined;
    },
  };
}

/** Completes "found …" without showing the text. */
export function foundSecret(text: string): string {
  const others = text.replace(/[!-~]/g, '').length;
  const found = `${text.length} characters`;
  return others === 0 ? found : `${found}, ${others} of them a space or not printable ASCII`;
}

export function hostName(): SettingKind<string> {
  return {
    expected: 'an address or a host name',
    parse: (text) => (/^[\w.:%-]+$/.test(text) ? text : undefined),
  };
}
