/** The kinds of values that settings have. */
import { resolve } from 'node:path';

export interface Setting<T> {
  readonly name: string;
  /** As it would be written; empty for none. */
  readonly fallback: string;
  readonly description: string;
  /** Completes "expected …". */
  readonly expected: string;
  /** Undefined when the text is not what is expected. */
  readonly parse: (text: string, folder: string) => T | undefined;
  /** What is wrong with it is said without saying what it is. */
  readonly isSecret?: boolean;
}

type Kind<T> = Pick<Setting<T>, 'expected' | 'parse'>;

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export function path(): Kind<string> {
  return {
    expected: 'a path',
    parse: (text, folder) => (text.includes('\0') ? undefined : resolve(folder, text)),
  };
}

export function oneOf<T extends string>(choices: readonly T[]): Kind<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

export function yesOrNo(): Kind<boolean> {
  return {
    expected: 'true or false',
    parse: (text) => YES_OR_NO.get(text),
  };
}

const YES_OR_NO: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Null for none; ends in a slash, so that names can be resolved against it. */
export function httpUrl(): Kind<URL | null> {
  return {
    expected: 'an http or https URL',
    parse(text) {
      if (text === '') return null;
      if (!URL.canParse(text)) return undefined;
      const url = new URL(text);
      if (!url.pathname.endsWith('/')) url.pathname += '/';
      return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
    },
  };
}

/** Null for none: every address of the machine, or whatever the setting says. */
export function hostName(): Kind<string | null> {
  return {
    expected: 'an address or a host name',
    parse: (text) => (text === '' ? null : /^[\w.:%-]+$/.test(text) ? text : undefined),
  };
}
